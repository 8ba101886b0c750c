import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { inCell } from '../support/in-cell.ts'
import { TestUser } from '../support/test-user.ts'

const servers: Server[] = []
let user: TestUser | undefined

afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
  user?.remove()
})

async function serve(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<number> {
  const server = createServer(answer)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** What a command in the sandbox of a whole program prints, and the receipts of its run. */
async function run(command: string, sandbox: object, env: Record<string, string> = {}) {
  user ??= new TestUser()
  user.write(
    '../.config/offshoot/config.jsonc',
    JSON.stringify({ sandbox: { mode: 'required', ...sandbox } }),
  )
  const call = { toolCalls: [{ tool: 'bash', input: { command } }] }
  const model = user.script({ main: [call, { text: 'Done.' }] })
  const args = ['run', 'Go.', '-m', model, '--allow', 'bash', '--output-format']
  const { code, stdout, stderr } = await user.run([...args, 'json'], { env })
  expect([code, stderr]).toEqual([0, expect.any(String)])
  const { receipts, conversation_id: id } = JSON.parse(stdout) as {
    receipts: { connections?: { host: string; port: number; allowed: boolean }[] }
    conversation_id: string
  }
  const shown = await user.run(['log', id, '--tools'])
  return { text: shown.stdout, connections: receipts.connections ?? [] }
}

test(
  'a listed host is reached through the proxy of the machine, an unlisted one, the metadata and all else is not',
  inCell(async () => {
    const asked: string[] = []
    const proxy = await serve((request, response) => {
      asked.push(request.url!)
      response.end('from far away\n')
    })
    const command = `curl -sS http://listed.invalid/a; curl -sS http://other.invalid/b
      curl -sS http://169.254.169.254/; env -i curl -sS --max-time 5 http://169.254.169.254/
      curl -sS --max-time 5 http://127.0.0.1:${proxy}/; echo "$http_proxy" | sed 's/:[0-9]*$//'`
    const env = { http_proxy: `http://me:secret@127.0.0.1:${proxy}` }
    const { text, connections } = await run(command, { network: ['listed.invalid'] }, env)
    expect(text).toContain('from far away')
    expect(text).toContain('the sandbox refused other.invalid:80: sandbox.network does not name it')
    expect(text).toContain('the sandbox refused 169.254.169.254:80: it is not a public host')
    expect(text.match(/Failed to connect|Couldn't connect/g)!.length).toBeGreaterThanOrEqual(2)
    expect(text).not.toContain('secret')
    expect(text).toContain('http://127.0.0.1\n')
    expect(asked).toEqual(['http://listed.invalid/a'])
    expect(connections).toMatchObject([
      { host: 'listed.invalid', port: 80, allowed: true },
      { host: 'other.invalid', port: 80, allowed: false },
      { host: '169.254.169.254', port: 80, allowed: false },
    ])
  }),
)

test(
  'a named port is that of the machine, and never that of the server',
  inCell(async () => {
    user = new TestUser()
    const named = await serve((_, response) => response.end('from the machine\n'))
    const unnamed = await serve((_, response) => response.end('from elsewhere\n'))
    const program = user.start(['serve', '--port', '0'])
    let own = 0
    await program.untilStdout((all) => (own = Number(/listening on http:\S+:(\d+)\n/.exec(all)?.[1])) > 0)
    const ports = [named, unnamed, own]
    const command = ports
      .map((port) => `curl -sS --max-time 5 http://127.0.0.1:${port}/api/health`)
      .join('; ')
    const { text, connections } = await run(command, { ports: [named, own] })
    program.kill('SIGTERM')
    await program.ended
    expect(text).toContain('from the machine')
    expect(text).not.toContain('from elsewhere')
    expect(text).toContain(`the sandbox refused 127.0.0.1:${own}: the server of Offshoot listens there`)
    expect(connections).toMatchObject([
      { host: '127.0.0.1', port: named, allowed: true },
      { host: '127.0.0.1', port: own, allowed: false },
    ])
  }),
)
