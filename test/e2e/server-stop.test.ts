import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { TestUser } from '../support/test-user.ts'

let user: TestUser
let sockets: Socket[]
beforeEach(() => {
  user = new TestUser()
  sockets = []
})
afterEach(() => {
  for (const socket of sockets) socket.destroy()
  user.remove()
})

interface Ids {
  readonly conversationId: string
  readonly runId: string
}

async function serve() {
  const program = user.start(['serve', '--port', '0'])
  await program.untilStdout('\n')
  const port = Number(/:(\d+)\n/.exec(program.stdout)![1])
  return { program, port, token: readFileSync(join(user.home, 'token'), 'utf8').trim() }
}

type Served = Awaited<ReturnType<typeof serve>>

/** Begins a conversation whose agent calls `bash`, and waits for an event. Its stream stays open. */
async function begin(served: Served, command: string, mode: string, event: string): Promise<Ids> {
  const { port, token } = served
  const turn = { toolCalls: [{ tool: 'bash', input: { command } }] }
  const model = user.script({ '*': [turn, { text: 'all done' }] }, `${mode}.json`)
  const answer = await fetch(`http://127.0.0.1:${port}/api/conversations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'x', mode, model }),
  })
  const ids = (await answer.json()) as Ids
  await untilText(stream(served, ids), `event: ${event}\n`)
  return ids
}

/** The bytes of a request, its connection kept. */
function send({ port, token }: Served, request: string): Socket {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', () => {})
  socket.write(`${request}\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n`)
  sockets.push(socket)
  return socket
}

function stream(served: Served, { conversationId }: Ids): Socket {
  const socket = send(served, `GET /api/conversations/${conversationId}/events HTTP/1.1`)
  socket.write('\r\n')
  return socket
}

function untilText(socket: Socket, text: string): Promise<void> {
  return new Promise((resolve) => {
    let held = ''
    socket.on('data', (data) => {
      held += data.toString()
      if (held.includes(text)) resolve()
    })
  })
}

test.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)('%s ends all of it: clients of every kind, a tool, a question', async (signal, exitCode) => {
  const served = await serve()
  const { program } = served
  const works = await begin(served, 'sleep 600', 'auto', 'tool.started')
  const asks = await begin(served, 'touch made', 'ask', 'approval.requested')
  stream(served, works).pause() // reads nothing
  const idle = send(served, 'GET /api/health HTTP/1.1')
  idle.write('\r\n')
  await untilText(idle, '"ok"')
  send(served, 'GET /api/health HTTP/1.1') // never ends its request
  send(served, 'POST /api/conversations HTTP/1.1').write('Content-Length: 1000\r\n\r\n{')
  const [seen] = sockets
  const closed = new Promise((resolve) => seen!.once('close', resolve))
  program.kill(signal)
  expect((await program.ended).code).toBe(exitCode)
  await closed
  expect(user.processes()).toEqual([])
  expect(user.rows('SELECT renewed_at FROM leases')).toEqual([{ renewed_at: 0 }, { renewed_at: 0 }])
  expect(user.rows('SELECT id, status, reason FROM runs ORDER BY id')).toEqual([
    { id: works.runId, status: 'paused', reason: 'restart' },
    { id: asks.runId, status: 'waiting', reason: 'approval' },
  ])
  expect(user.rows('SELECT answer FROM approvals')).toEqual([{ answer: null }])
})

test('a signal while it takes up what was left ends that too', async () => {
  const first = await serve()
  const { runId } = await begin(first, 'sleep 600', 'auto', 'tool.started')
  first.program.kill('SIGKILL')
  await first.program.ended
  user.script({ '*': [{ toolCalls: [{ tool: 'bash', input: { command: 'sleep 601' } }] }] }, 'auto.json')
  const { program } = await serve()
  program.kill('SIGTERM')
  expect((await program.ended).code).toBe(143)
  expect(user.processes()).toEqual([])
  const [run] = user.rows(`SELECT status FROM runs WHERE id = '${runId}'`)
  expect(['paused', 'running']).toContain(run!['status']) // taken up and paused, or not taken up yet
  expect((await user.call(['recover'])).code).toBe(0)
})

test('a second signal ends it at once, and what it ran ends too', async () => {
  const served = await serve()
  const { program } = served
  const stubborn = `trap '' TERM; touch ready; while true; do sleep 1; done`
  const { runId } = await begin(served, stubborn, 'auto', 'tool.started')
  program.kill('SIGTERM')
  await program.untilTaken()
  program.kill('SIGTERM')
  expect((await program.ended).code).toBe(143)
  expect(user.rows('SELECT status FROM runs')).toEqual([{ status: 'running' }]) // nothing was waited for
  await expect.poll(() => user.processes()).toEqual([]) // the guard's work
  const { stdout } = await user.call(['recover', '--pause'])
  expect(stdout).toContain(runId)
})
