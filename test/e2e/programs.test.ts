import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder, userEnvironment } from '../support/fresh-copy.ts'
import { providerEnvironment, startModelServer, type ModelServer } from '../support/model-server.ts'
import { StartedProgram } from '../support/started-program.ts'

/** Programs as users of the library write them, run from the package as npm installs it. */
const ROOT = join(import.meta.dirname, '../..')
const PROGRAMS = join(ROOT, 'examples/programs')

const project = temporaryFolder('programs')
const home = temporaryFolder('home')
const built = temporaryFolder('dist')
let server: ModelServer

beforeAll(async () => {
  await succeed('npm', 'run', 'build', '--prefix', ROOT, '--', '--out', built)
  await succeed('npm', 'pack', built)
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }')
  const tarball = `./${globSync('offshoot-*.tgz', { cwd: project })[0]}`
  await succeed('npm', 'install', tarball, 'zod', '@ai-sdk/openai', 'vitest@5.1.1')
  cpSync(PROGRAMS, project, { recursive: true })
}, 300_000)
beforeEach(async () => void (server = await startModelServer()))
afterEach(() => server.close())
afterAll(() => [project, home, built].forEach((folder) => rmSync(folder, { recursive: true, force: true })))

it('each has less than 80 lines', () => {
  const programs = globSync('*.ts', { cwd: PROGRAMS })
  const lines = programs.map(
    (name) => readFileSync(join(PROGRAMS, name), 'utf8').trimEnd().split('\n').length,
  )
  expect(programs.length).toBeGreaterThan(4)
  expect(Math.max(...lines)).toBeLessThan(80)
})

it('approval-service.ts: a call waits for a person, a second message for the first, and it stops cleanly', async () => {
  server.respond(({ messages }) => {
    const last = messages.at(-1)!
    if (last.role === 'tool') return { text: 'It is paid.' }
    return JSON.stringify(last.content).includes('Thanks')
      ? { text: 'You are welcome.' }
      : { toolCalls: [{ tool: 'bash', input: { command: 'echo 40 > paid.txt' } }] }
  })
  const service = start('approval-service.ts')
  await service.untilStdout('\n')
  const { port } = JSON.parse(service.stdout) as { port: number }
  const call = async <T>(method: string, path: string, body?: object) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: (await answer.json()) as T }
  }
  interface Started {
    readonly runId: string
    readonly conversationId: string
  }
  const { body: first } = await call<Started>('POST', '/chats', { text: 'Pay 40.' })
  const stream = fetch(`http://127.0.0.1:${port}/runs/${first.runId}/events`).then((answer) => answer.text())
  const open = async () => (await call<readonly { id: string }[]>('GET', '/approvals')).body
  await expect.poll(open).toHaveLength(1)
  expect((await call('GET', `/runs/${first.runId}`)).body).toMatchObject({ status: 'waiting' })
  const second = call<Started>('POST', `/chats/${first.conversationId}`, { text: 'Thanks.' })
  const [approval] = await open()
  expect((await call('POST', `/approvals/${approval!.id}`, { answer: 'once' })).status).toBe(200)
  expect((await call('POST', `/approvals/${approval!.id}`, { answer: 'deny' })).status).toBe(409)
  const resultOf = (id: string) => async () => (await call('GET', `/runs/${id}`)).body
  await expect
    .poll(resultOf(first.runId))
    .toMatchObject({ status: 'completed', text: 'It is paid.', denials: [] })
  await expect.poll(resultOf((await second).body.runId)).toMatchObject({ text: 'You are welcome.' })
  expect(await stream).toMatch(/"type":"approval\.answered"[^]*"type":"run\.completed"/)
  expect(readFileSync(join(project, 'paid.txt'), 'utf8')).toBe('40\n')
  expect((await call('GET', '/nothing')).status).toBe(404)
  service.kill('SIGTERM')
  expect(await service.ended).toMatchObject({ code: 0, stderr: '' })
})

it('budget-batch.ts: stops before $0.50 are exceeded, and says what is left', async () => {
  const text = JSON.stringify({ urgent: true, summary: 'Cannot log in.' })
  server.respond(({ max_tokens }) => ({
    text, // for about $0.026, and never longer than was asked for
    usage: { input_tokens: 100, output_tokens: Math.min(2_600, max_tokens ?? Infinity) },
  }))
  const tickets = Array.from({ length: 30 }, (_, at) => `Ticket ${at + 1}: I cannot log in.`)
  writeFileSync(join(project, 'tickets.txt'), tickets.join('\n'))
  const { code, stdout, stderr } = await start('budget-batch.ts').ended
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const judged = stdout.match(/^\d+: URGENT Cannot log in\.$/gm) ?? []
  const [, spent, left] = /^spent \$(\S+) of \$0\.50; not judged: (.*)$/m.exec(stdout)!
  expect(judged.length + left!.split(', ').length).toBe(30)
  expect(Number(spent)).toBeLessThanOrEqual(0.5)
  expect(Number(spent)).toBeGreaterThan(0.35)
})

it('npm-provider.ts: a model of a package that the program installed', async () => {
  server.respond(({ messages }) =>
    messages.at(-1)!.role === 'tool'
      ? { text: `It says ${JSON.stringify(messages.at(-1)!.content)}` }
      : { toolCalls: [{ tool: 'order', input: { id: 'A1' } }] },
  )
  const own = { MY_KEY: 'key', MY_BASE_URL: `${server.url}/v1` }
  const { code, stdout, stderr } = await start('npm-provider.ts', own).ended
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^It says .*shipped/)
  expect(stdout).toMatch(/^completed; \d+ tokens in, \d+ out/m)
})

describe('refunds.ts under two runners', () => {
  it('vitest', async () => {
    const runner = new StartedProgram(
      [process.execPath, 'node_modules/vitest/vitest.mjs', 'run', 'refunds.vitest'],
      at(),
    )
    const { code, stdout } = await runner.ended
    expect(stdout).toMatch(/Tests +.*3 passed/)
    expect(code).toBe(0)
  })

  it('node:test', async () => {
    const { code, stdout } = await new StartedProgram(
      [process.execPath, '--test', 'refunds.node.test.ts'],
      at(),
    ).ended
    expect(stdout).toMatch(/pass 2/)
    expect(code).toBe(0)
  })
})

function start(program: string, more: Readonly<Record<string, string>> = {}): StartedProgram {
  return new StartedProgram(
    [process.execPath, program],
    at({ ...providerEnvironment('anthropic', server.url), ...more }),
  )
}

function at(more: Readonly<Record<string, string>> = {}) {
  return { cwd: project, env: { ...userEnvironment(home), HOME: home, ...more } }
}

async function succeed(...command: [string, ...string[]]): Promise<void> {
  const { code, stderr } = await new StartedProgram(command, { cwd: project, env: userEnvironment(home) })
    .ended
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}:\n${stderr}`)
}
