import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { TestUser } from '../../test/support/test-user.ts'

interface Payload {
  readonly id: string
  readonly kind: 'ansi' | 'xss' | 'secret' | 'injection'
  readonly payload: string
  readonly why: string
}

const payloads = readFileSync(join(import.meta.dirname, 'fixtures/payloads.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Payload)

/** What a terminal takes for a command, and what turns the direction of writing. */
const COMMAND = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/u

const users: TestUser[] = []
afterEach(() => users.splice(0).forEach((user) => user.remove()))

function newUser(files: Readonly<Record<string, string>> = {}): TestUser {
  const user = new TestUser(files)
  users.push(user)
  return user
}

/** Main and subagent say it, a tool reads it, and it names a file. */
function scriptOf(user: TestUser, payload: string): string {
  const read = { tool: 'read', input: { path: 'told.txt' } }
  const failing = { tool: 'read', input: { path: `no ${payload}` } }
  const ask = {
    tool: 'task',
    input: { prompt: `look ${payload}`, subagent_type: 'explore', description: payload },
  }
  return user.script({
    main: [
      { text: `main ${payload}`, toolCalls: [read, failing, ask], chunks: 5 },
      { text: `done ${payload} so`, chunks: 7 },
    ],
    explore: [{ text: `report ${payload}`, chunks: 3 }],
  })
}

interface Shown {
  readonly where: string
  readonly text: string
}

/** Everything that the commands print of a conversation in which a payload was said in all places. */
async function everySink(user: TestUser, payload: string): Promise<Shown[]> {
  const shown: Shown[] = []
  const call = async (...args: string[]) => {
    const { code, stdout, stderr } = await user.call(args)
    shown.push(
      { where: `${args.join(' ')} (stdout)`, text: stdout },
      { where: `${args[0]} (stderr)`, text: stderr },
    )
    return { code, stdout }
  }
  const formats = ['text', 'json', 'stream-json', 'events']
  for (const format of formats) {
    user.write('told.txt', `told ${payload}\n`)
    const model = scriptOf(user, payload)
    const { code } = await call(
      'run',
      '-m',
      model,
      '--mode',
      'auto',
      '--output-format',
      format,
      `prompt ${payload}`,
    )
    expect([0, 5]).toContain(code) // a strange path is a question that nobody can answer
  }
  const { stdout } = await call('ls', '--json')
  const [{ id }] = JSON.parse(stdout) as [{ id: string }]
  await call('ls')
  await call('show', id)
  await call('show', id, '--messages')
  await call('show', id, '--json')
  await call('log', id)
  await call('ps', '--all')
  await call('ps', '--all', '--json')
  await call('inbox', id)
  for (const format of ['json', 'md', 'html']) await call('export', id, '--format', format)
  await call('show', payload)
  await call('agents', 'show', payload)
  await call('run', '-m', payload, 'x')
  await call(payload)
  return shown
}

/** The long ones: written here, as a file of them would be a hundred times as large. */
const LONG = [
  ['a control sequence of 24 KB', `\u001b[${'38;2;1;2;3;['.repeat(2_000)}m`],
  ['10000 wide characters', '\u884c'.repeat(10_000)],
  ['20000 backquotes', `${'`'.repeat(20_000)} x`],
] as const

test.each(LONG)(
  '%s command nothing and take no time',
  async (_, payload) => {
    const user = newUser()
    const before = process.threadCpuUsage()
    const shown = await everySink(user, payload)
    expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(20_000)
    for (const { where, text } of shown)
      expect({ where, command: COMMAND.exec(text)?.[0] }).toEqual({ where, command: undefined })
  },
  60_000,
)

/** Side by side, as each takes a dozen commands. */
const groups = Object.values(
  Object.groupBy(
    payloads.filter(({ kind }) => kind === 'ansi'),
    (_) => Math.floor(payloads.indexOf(_) / 7),
  ),
).map((group) => ({
  ids: group!.map(({ id }) => id).join(', '),
  payload: group!.map(({ payload }) => payload).join(' '),
}))

describe.each(groups)('$ids', ({ payload }) => {
  test('no command to a terminal is printed anywhere, and JSON keeps the text', async () => {
    const user = newUser()
    for (const { where, text } of await everySink(user, payload))
      expect({ where, command: COMMAND.exec(text)?.[0] }).toEqual({ where, command: undefined })
    const { stdout } = await user.call(['run', '-m', scriptOf(user, payload), '--output-format', 'json', 'x'])
    expect((JSON.parse(stdout) as { text: string }).text).toBe(`done ${payload} so`)
  })
})

describe.each(payloads.filter(({ kind }) => kind === 'secret'))('$id: $why', ({ payload }) => {
  const hidden = payload
    .split('\n')
    .find((line) => !line.startsWith('-'))!
    .slice(-24)

  test('is masked in all that is printed', async () => {
    const user = newUser()
    for (const { where, text } of await everySink(user, payload))
      expect({ where, leaks: text.includes(hidden) }).toEqual({ where, leaks: false })
  })

  test('reaches neither the model nor the store through a tool', async () => {
    const user = newUser({ 'told.txt': `told ${payload}\n` })
    const model = user.script({
      main: [{ toolCalls: [{ tool: 'read', input: { path: 'told.txt' } }] }, { match: 'told', text: 'done' }],
    })
    expect(await user.call(['run', '-m', model, 'x'])).toMatchObject({ code: 0 })
    const stored = readFileSync(user.database).toString('latin1') + walOf(user)
    expect(stored.includes('told')).toBe(true)
    expect(stored.includes(hidden)).toBe(false)
  })

  test('an export is equal to the byte after an import, and --raw-output has all', async () => {
    const user = newUser()
    const model = user.script({ main: [{ text: `said ${payload} so` }] })
    await user.call(['run', '-m', model, 'x'])
    const [{ id }] = JSON.parse((await user.call(['ls', '--json'])).stdout) as [{ id: string }]
    const first = (await user.call(['export', id])).stdout
    const raw = (await user.call(['export', id, '--raw-output'])).stdout
    expect(JSON.stringify(JSON.parse(raw))).toContain(hidden)
    const other = newUser()
    await other.call(['import', '-'], { input: first })
    expect((await other.call(['export', id])).stdout).toBe(first)
  })
})

test('a file that was read with its key masked is not written back so', async () => {
  const key = `sk-ant-api03-${'A1b2C3d4'.repeat(10)}`
  const user = newUser({ 'keys.txt': `one ${key}\ntwo\n` })
  const masked = `one sk-ant-${'•'.repeat(key.length - 7)}\n`
  const read = { tool: 'read', input: { path: 'keys.txt' } }
  const write = { tool: 'write', input: { path: 'keys.txt', content: `${masked}three\n` } }
  const edit = { tool: 'edit', input: { path: 'keys.txt', old_string: 'two', new_string: 'three' } }
  const model = user.script({
    main: [
      { toolCalls: [read] },
      { toolCalls: [write] },
      { match: 'masked', toolCalls: [edit] },
      { text: 'done' },
    ],
  })
  expect(await user.call(['run', '-m', model, '--mode', 'auto', 'x'])).toMatchObject({
    code: 0,
    stdout: 'done\n',
  })
  expect(readFileSync(join(user.directory, 'keys.txt'), 'utf8')).toBe(`one ${key}\nthree\n`)
})

test('the values of variables whose names say so are masked, and what is in the way of nothing stays', async () => {
  const user = newUser()
  const env = {
    MY_DEPLOY_TOKEN: 'correct-horse-battery',
    DB_PASSWORD: 'sup er"secret',
    KEY_FILE: '/etc/key/file',
  }
  const said = 'correct-horse-battery sup er"secret /etc/key/file'
  for (const format of ['text', 'json', 'stream-json', 'events']) {
    const model = user.script({ main: [{ text: said, chunks: 20 }] })
    const { stdout } = await user.call(['run', '-m', model, '--output-format', format, 'x'], { env })
    expect(stdout).not.toMatch(/horse|sup er|er.{1,2}secret/)
    expect(stdout).toContain('/etc/key/file')
  }
})

test('the pieces of an answer are together its masked text, in order', async () => {
  const user = newUser()
  const key = `sk-ant-api03-${'A1b2C3d4'.repeat(10)}`
  const model = user.script({ main: [{ text: `one ${key} two`, chunks: 40 }] })
  const { stdout } = await user.call(['run', '-m', model, '--output-format', 'events', 'x'])
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  const deltas = events.filter(({ type }) => type === 'part.delta') as { text: string; offset: number }[]
  expect(deltas.map(({ text }) => text).join('')).toBe(`one sk-ant-${'•'.repeat(key.length - 7)} two`)
  let offset = 0
  for (const delta of deltas) {
    expect(delta.offset).toBe(offset)
    offset += delta.text.length
  }
  const last = events.findLastIndex(({ type }) => type === 'part.delta')
  const whole = events.findIndex(({ type, role }) => type === 'message.completed' && role === 'assistant')
  expect(last).toBeLessThan(whole)
})

describe('--raw-output', () => {
  const said = 'a \u001b[31mred\u001b[0m \u202e sk-ant-api03-A1b2C3d4A1b2C3d4A1b2C3d4 b'

  test('has the answer as it is, to a file or a pipe', async () => {
    const user = newUser()
    const model = user.script({ main: [{ text: said }] })
    expect((await user.call(['run', '-m', model, '--raw-output', 'x'])).stdout).toBe(`${said}\n`)
  })

  test('is refused on a terminal, and with other formats', async () => {
    const user = newUser()
    const model = user.script({ main: [{ text: said }] })
    for (const format of ['json', 'stream-json', 'events'])
      expect(
        await user.call(['run', '-m', model, '--raw-output', '--output-format', format, 'x']),
      ).toMatchObject({ code: 2, stdout: '' })
    const { code, stdout } = await user.terminal(['run', '-m', model, '--raw-output', 'x']).ended
    expect({ code, stdout }).toMatchObject({ code: 2, stdout: expect.stringContaining('--raw-output') })
    expect(stdout).not.toContain('red')
  })
})

function walOf(user: TestUser): string {
  try {
    return readFileSync(`${user.database}-wal`).toString('latin1')
  } catch {
    return ''
  }
}
