import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TestUser } from '../../../test/support/test-user.ts'

let user: TestUser
let model: string

beforeAll(() => {
  user = new TestUser({ 'a.txt': 'text\n' })
  model = user.script({ '*': [{ text: 'done' }] })
})
afterAll(() => user.remove())

/** Which tools a run has called, and how that ended. */
async function called(args: readonly string[], ...calls: readonly object[]) {
  const script = user.script({ main: [{ toolCalls: calls as never }, { text: 'done' }] }, 'calls.json')
  const { code, stderr } = await user.call(['-p', 'Go.', '-m', script, ...args])
  const rows = user.rows('SELECT tool, status, error FROM tool_calls ORDER BY id DESC LIMIT ' + calls.length)
  const ends = rows.map(({ tool, status, error }) => [tool, error ? codeOf(error) : status].join(': '))
  return { code, stderr, ends: ends.toReversed() }
}

const codeOf = (error: unknown): string => JSON.parse(error as string).code
const bash = (command: string) => ({ tool: 'bash', input: { command } })
const write = { tool: 'write', input: { path: 'b.txt', content: 'x' } }

describe('the modes of Claude Code', () => {
  test.each([
    ['default', null, 'ask'],
    ['manual', null, 'ask'],
    ['plan', 'plan', 'plan'],
    ['acceptEdits', 'accept-edits', 'accept-edits'],
  ])('%s', async (name, stored, mode) => {
    expect(await user.call(['-p', 'Go.', '-m', model, '--permission-mode', name])).toMatchObject({ code: 0 })
    const [row] = user.rows('SELECT mode FROM conversations ORDER BY id DESC LIMIT 1')
    expect(row).toEqual({ mode: stored ?? mode })
  })

  test.each(['auto', 'bypassPermissions', 'wild', 'constructor'])(
    '%s is an error that names ours',
    async (name) => {
      const { code, stdout, stderr } = await user.call(['-p', 'Go.', '--permission-mode', name])
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toMatch(
        /^offshoot: --permission-mode "\w+": .*\n {2}use --mode plan, ask, accept-edits, or auto,/,
      )
    },
  )

  test('one that denies what asks is an error with --background: the server asks', async () => {
    const { code, stderr } = await user.call(['-p', 'Go.', '--background', '--permission-mode', 'dontAsk'])
    expect(code).toBe(2)
    expect(stderr).toContain('--permission-mode has no effect: the server asks the people who use it')
  })

  test('one that contradicts --mode is an error', async () => {
    const args = ['-p', 'Go.', '--permission-mode', 'plan', '--mode', 'auto']
    expect((await user.call(args)).stderr).toMatch(
      /--permission-mode and --mode name the same setting, but differ/,
    )
  })
})

describe('rules of one run', () => {
  test('allow what they name, and nothing else', async () => {
    const args = ['--allowedTools', 'Bash(echo:*)', 'Write(b.txt)']
    const { ends, code } = await called(args, bash('echo hi'), bash('date'), write)
    expect(ends).toEqual(['bash: completed', 'bash: unattended', 'write: completed'])
    expect(code).toBe(5)
    expect((await called(['--allow', 'bash:date'], bash('date'))).ends).toEqual(['bash: completed'])
  })

  test('deny wins over allow, in whatever order', async () => {
    const args = ['--deny', 'bash:date *', '--allow', 'bash']
    expect((await called(args, bash('date'), bash('echo hi'))).ends).toEqual([
      'bash: denied',
      'bash: completed',
    ])
  })

  test('of agents name one that there is, by any of its names', async () => {
    const args = [
      '--deny',
      'task:explore',
      '--deny',
      'task:re*',
      '--disallowedTools',
      'Task(general-purpose)',
    ]
    expect((await called(args, bash('date'))).code).toBe(5)
  })

  test('hold no longer than the run', async () => {
    await called(['--allow', 'bash'], bash('date'))
    expect((await called(['-c'], bash('date'))).ends).toEqual(['bash: unattended'])
    await called(['-c', '--deny', 'bash'], bash('date'))
    const stored = "SELECT tool, action FROM rules WHERE kind = 'restriction' AND pattern IS NULL"
    expect(user.rows(stored)).toEqual([{ tool: 'bash', action: 'deny' }])
    expect((await called(['-c', '--allow', 'bash'], bash('date'))).ends).toEqual(['bash: completed'])
    expect(user.rows(stored)).toEqual([])
  })

  test('that deny hold where another process resumes the run', async () => {
    const turn = { toolCalls: [bash('date')] }
    const script = user.script({ main: [turn, turn, { text: 'x' }] }, 'paused.json')
    const first = await user.call(['-p', 'Go.', '-m', script, '--deny', 'bash:date *', '--max-turns', '1'])
    expect(first.code).toBe(4)
    const [row] = user.rows('SELECT id FROM conversations ORDER BY id DESC LIMIT 1')
    const config = { OFFSHOOT_PERMISSIONS: '["bash"]' }
    await user.call(['continue', String(row!['id']), '--max-turns', '2'], { env: config })
    const ends = user.rows('SELECT error FROM tool_calls ORDER BY id DESC LIMIT 2')
    expect(ends.map(({ error }) => codeOf(error))).toEqual(['denied', 'denied'])
  })

  test('of another directory open it, and a deny closes it again', async () => {
    const other = new TestUser({ 'far.txt': 'far\n' })
    const read = { tool: 'read', input: { path: `${other.directory}/far.txt` } }
    expect((await called([], read)).ends).toEqual(['read: unattended'])
    expect((await called(['--add-dir', other.directory], read)).ends).toEqual(['read: completed'])
    other.remove()
  })

  test.each([
    [['--allow', 'bsh'], /there is no tool "bsh"; did you mean "bash"\?/],
    [['--allow', 'frobnicate'], /there is no tool "frobnicate"/],
    [['--deny', 'Bash(rm *)'], /--allowedTools and --disallowedTools accept the spelling of Claude Code/],
    [['--allowedTools', 'Nope'], /Offshoot has no such tool/],
    [['--add-dir', 'missing'], /--add-dir: .*there is no such file or directory/],
    [['--add-dir', 'a.txt'], /a\.txt is not a directory/],
    [['--add-dir', ''], /--add-dir: the directory is empty/],
    [['--add-dir='], /--add-dir: the directory is empty/],
    [
      ['--deny', 'task:explor'],
      /a rule names the agent "explor", which does not exist; did you mean "explore"\?/,
    ],
    [['--allow', 'task:nobody'], /the agent "nobody", which does not exist; the agents are: main, /],
    [['--disallowedTools', 'Task(nobody)'], /the agent "nobody", which does not exist; the agents are: /],
    [['-c', '-s', 'cnv_1'], /"-c, --continue" cannot be used with option "-s, --session <id>"/],
  ])('%j is an error, and nothing runs', async (args, said) => {
    const before = user.rows('SELECT count(*) AS n FROM runs')
    const { code, stdout, stderr } = await user.call(['-p', 'Go.', '-m', model, ...args])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(said)
    expect(user.rows('SELECT count(*) AS n FROM runs')).toEqual(before)
  })
})

test.each([
  [['--allowedTools', 'Read', 'What is here?'], '--allowedTools'],
  [
    ['--disallowedTools', 'Bash', '--allowedTools', 'Read', 'What is here?'],
    '--allowedTools read the prompt as a tool, and --disallowedTools',
  ],
  [['--add-dir', '.', 'What is here?'], '--add-dir'],
])('%j names the option that took the prompt', async (args, option) => {
  const { code, stdout, stderr } = await user.call(['-m', model, ...args])
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain(
    `offshoot: there is no prompt: ${option} read the prompt as a ${option === '--add-dir' ? 'directory' : 'tool'}\n`,
  )
  expect(stderr).toContain(`\n  put the prompt first: offshoot "what to do" ${option.split(' ')[0]} ...\n`)
})

test('--json-schema is refused for the offline search, which writes no JSON, and nothing runs', async () => {
  const before = user.rows('SELECT count(*) AS n FROM runs')
  for (const args of [[], ['-m', 'offline']]) {
    const { code, stdout, stderr } = await user.call(['-p', 'Which port?', ...args, '--json-schema', '{}'])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(
      'offshoot: --json-schema needs a language model, and offline is a rule-based search\n',
    )
    expect(stderr).toContain('\n  name a model with -m, or set the key of a provider; ')
  }
  expect(user.rows('SELECT count(*) AS n FROM runs')).toEqual(before)
})

test('--json-schema with the name of a file says how its text is handed over', async () => {
  const { code, stderr } = await user.call(['-p', 'x', '-m', model, '--json-schema', 'a.txt'])
  expect(code).toBe(2)
  expect(stderr).toContain('\n  it takes the schema as text: --json-schema "$(cat FILE)"\n')
})

describe('options of Codex and opencode that promise something else', () => {
  test.each([
    [
      ['exec', 'Go.', '--full-auto'],
      /^offshoot: --full-auto: it decides two things at once: in Offshoot, --sandbox confines/,
    ],
    [
      ['exec', '--sandbox', 'read-only', 'Go.'],
      /argument "read-only" is invalid\. Allowed choices are off, auto, required\. .*To forbid changes, use --mode plan\./,
    ],
    [
      ['exec', '-s', 'workspace-write', 'Go.'],
      /^offshoot: -s workspace-write: it decides two things at once/,
    ],
    [['exec', '--json', 'Go.'], /^offshoot: --json: .*\n {2}use --output-format events/],
    [['run', 'Go.', '--format', 'json'], /^offshoot: --format: .*\n {2}use --output-format events/],
    [['run', 'Go.', '-f', 'a.txt'], /^offshoot: --file: .*\n {2}name it in the prompt/],
    [['-p', 'Go.', '--dangerously-skip-permissions'], /\n {2}use --mode auto/],
    [['-p', 'Go.', '--tools', 'Read'], /^offshoot: --tools: .*\n {2}use --deny TOOL/],
    [
      ['-p', 'Go.', '--system-prompt', 'Be a bard.'],
      /^offshoot: --system-prompt: .*\n {2}use --append-system-prompt TEXT/,
    ],
    [
      ['-p', 'Go.', '--mcp-config', 'a.json'],
      /^offshoot: --mcp-config: MCP servers are not available yet\n {2}leave it out/,
    ],
    [
      ['-p', 'Go.', '--fallback-model', 'x'],
      /^offshoot: --fallback-model: .*\n {2}leave it out; offshoot continue/,
    ],
    [['-p', 'Go.', '--agents', '{}'], /^offshoot: --agents: .*\n {2}write the agent to /],
    [['-p', 'Go.', '--session-id', 'x'], /^offshoot: --session-id: .*\n {2}read conversation_id /],
    [['run', 'Go.', '--title', 'x'], /^offshoot: --title: .*\n {2}leave it out\n/],
    [['run', 'Go.', '--attach', 'x'], /^offshoot: --attach: .*\n {2}leave it out, or use --background/],
    [['serve', '--hostname', '0.0.0.0'], /^offshoot: --hostname: .*\n {2}use --host ADDRESS/],
    [['exec', '--cd', '..', 'Go.'], /^offshoot: --cd: .*\n {2}use -C DIR/],
    [['exec', '--skip-git-repo-check', 'Go.'], /no repository is needed\n {2}leave it out/],
  ])('%j is an error that names ours', async (args, said) => {
    const { code, stdout, stderr } = await user.call(args)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(said)
  })
})

describe('sessions', () => {
  test('-c, -r ID, -s ID and resume go on with a conversation', async () => {
    await user.call(['-p', 'First.', '-m', model])
    const [row] = user.rows('SELECT id FROM conversations ORDER BY id DESC LIMIT 1')
    const id = String(row!['id'])
    const count = () => user.rows('SELECT count(*) AS n FROM conversations')
    const before = count()
    for (const line of [
      ['-c', 'Next.'],
      ['-r', id, 'Next.'],
      ['run', 'Next.', '-s', id],
      ['resume', id, 'Next.'],
      ['resume', '--last', 'Next.'],
    ])
      expect(await user.call([...line, '-m', model]), line.join(' ')).toMatchObject({
        code: 0,
        stdout: 'done\n',
      })
    expect(count()).toEqual(before)
    const runs = user.rows(`SELECT count(*) AS n FROM runs WHERE conversation_id = '${id}'`)
    expect(runs).toEqual([{ n: 6 }])
  })

  test('--fork-session answers on a branch of its own', async () => {
    expect(await user.call(['-c', '--fork-session', 'Else.', '-m', model])).toMatchObject({
      code: 0,
      stdout: 'done\n',
    })
    expect(user.rows("SELECT count(*) AS n FROM branches WHERE kind = 'fork'")).toEqual([{ n: 1 }])
    expect((await user.call(['-p', 'x', '--fork-session'])).stderr).toMatch(/needs a conversation/)
    expect((await user.call(['-c', 'x', '--fork-session', '--deny', 'bash'])).stderr).toMatch(
      /cannot take --deny/,
    )
  })

  test('--resume without an id needs somebody who picks one', async () => {
    const { code, stdout, stderr } = await user.call(['--resume'], { input: 'Go.' })
    expect([code, stdout]).toEqual([2, ''])
    const [head, first] = stderr.split('\n')
    expect(head).toMatch(/^ +TITLE +AGE +STATE +AGENT$/)
    expect(first).toMatch(/^cnv_\w+ +.+ just now +completed +main$/)
    const [id] = /^cnv_\w+/.exec(first!)!
    expect(stderr).toContain(
      `offshoot: --resume needs an id: there is no terminal to pick a conversation on\n  offshoot --resume ${id} "`,
    )
    expect(await user.call(['--resume', id, 'Go.', '-m', model])).toMatchObject({ code: 0 })
  })

  test.each([
    [['-c'], '--continue needs a prompt\n  offshoot --continue "what to do next", or the same on stdin'],
    [['run', '-c'], 'offshoot continue last resumes without a prompt'],
    [['-r', 'last'], '--resume needs a prompt\n  offshoot --resume last "what to do next"'],
    [['-r', 'fix the test'], '--resume takes an id before the prompt: "fix the test" is not an id'],
  ])('%j says what is missing', async (args, words) => {
    const { code, stderr } = await user.call(args)
    expect(code).toBe(2)
    expect(stderr).toContain(words)
  })
})

describe('the agent of one run', () => {
  test('has what is added to its instructions, in a new conversation alone', async () => {
    const args = ['Go.', '-m', model, '--append-system-prompt', 'Answer in Latin.']
    expect(await user.call(['-p', ...args])).toMatchObject({ code: 0 })
    const [row] = user.rows(
      "SELECT p.part FROM parts p JOIN messages m ON m.id = p.message_id WHERE m.role = 'system' ORDER BY p.id DESC LIMIT 1",
    )
    expect(JSON.parse(String(row!['part'])).text).toContain('## Added on the command line\nAnswer in Latin.')
    const again = await user.call(['-c', ...args])
    expect([again.code, again.stderr]).toEqual([
      2,
      expect.stringMatching(/works only for a new conversation/),
    ])
  })

  test('answers with JSON that satisfies a schema', async () => {
    const schema = '{"type":"object","properties":{"port":{"type":"integer"}},"required":["port"]}'
    const script = user.script({ main: [{ text: 'It is 80.' }, { text: '{"port": 80}' }] }, 'typed.json')
    const args = ['Which port?', '-m', script, '--json-schema', schema, '--output-format', 'json']
    for (const first of ['-p', '-c']) {
      const { code, stdout, stderr } = await user.call([first, ...args])
      expect(code, stderr).toBe(0)
      expect(JSON.parse(stdout)).toMatchObject({ structured_output: { port: 80 } })
    }
    for (const wrong of ['{', '7', '{"type": "wild"}'])
      expect(await user.call(['-p', 'x', '-m', model, '--json-schema', wrong])).toMatchObject({
        code: 2,
        stdout: '',
      })
  })

  test('has the budget of --max-budget-usd', async () => {
    const { stderr } = await user.call(['-p', 'x', '-m', model, '--max-budget-usd', '1', '--budget-usd', '2'])
    expect(stderr).toMatch(/--max-budget-usd and --budget-usd name the same setting, but differ/)
    expect(await user.call(['-p', 'x', '-m', model, '--max-budget-usd', '1'])).toMatchObject({ code: 0 })
  })
})

describe('--input-format stream-json', () => {
  const line = (content: unknown) =>
    `${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`
  const STREAM = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose']

  test('answers each message in one conversation', async () => {
    const input = line('First.') + line([{ type: 'text', text: 'Second.' }])
    const { code, stdout, stderr } = await user.call([...STREAM, '-m', model], { input })
    expect(code, stderr).toBe(0)
    const lines = stdout
      .trim()
      .split('\n')
      .map((each) => JSON.parse(each))
    expect(lines.filter(({ type }) => type === 'result').map(({ result }) => result)).toEqual([
      'done',
      'done',
    ])
    expect(new Set(lines.map(({ session_id }) => session_id)).size).toBe(1)
  })

  test.each([
    ['', /no message came on stdin/],
    ['nonsense\n', /a line on stdin is not JSON/],
    ['{"type":"control_request"}\n', /a line on stdin is not a user message: type: /],
    [line(' '), /a message on stdin has no text/],
  ])('%j is an error', async (input, said) => {
    const { code, stderr } = await user.call([...STREAM, '-m', model], { input })
    expect(code).toBe(2)
    expect(stderr).toMatch(said)
  })

  test('needs the same output', async () => {
    expect((await user.call(['-p', '--input-format', 'stream-json'])).stderr).toMatch(/needs --output-format/)
  })
})
