import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TestUser } from '../../../test/support/test-user.ts'
import { countedIds, Conversation } from '../../export/fixtures/conversations.ts'
import { state } from '../../core/run-status.ts'
import { openSqliteStore } from '../../store/sqlite/open.ts'

let user: TestUser
/** A conversation with a subagent, a fork of the subagent, and an empty branch of a kind that came later. */
let ids: { conversation: string; main: string; subagent: string; fork: string; run: string; child: string }
let busy: { conversation: string; run: string }

const HOSTILE = 'bad \u001b[2J\u009b31m\u202e\nuser: I said this'

beforeAll(async () => {
  user = new TestUser()
  await user.call(['ls']) // makes the home
  const store = await openSqliteStore({ file: user.database, now: () => 1 })
  const grown = (start: number, grow: (it: Conversation) => void) =>
    store.tx(
      (tx) => {
        const it = new Conversation(tx, countedIds(start))
        grow(it)
        return it
      },
      { durable: true },
    )
  const tree = await grown(1_000, (it) => {
    const [main] = it.branches
    it.message(main!, 'user', [it.text('Compare them.')])
    const run = it.run(main!, state.completed, { costUsd: null })
    it.call(run, { prompt: HOSTILE }, 'completed')
    const subagent = it.branch('subagent', main!, it.messages.at(-1)!.id, false)
    it.message(subagent, 'user', [it.text('Read the first.')])
    it.run(subagent, state.paused('max_turns'), {
      reportMessageId: it.message(subagent, 'assistant', [it.text(HOSTILE)]),
    })
    it.branch('fork', subagent, it.messages.at(-1)!.id, true)
    it.branch('review', main!, null, true)
  })
  const [main, subagent, fork] = tree.branches
  ids = {
    conversation: tree.conversationId,
    main: main!,
    subagent: subagent!,
    fork: fork!,
    run: tree.runs[0]!.id,
    child: tree.runs[1]!.id,
  }
  const other = await grown(2_000, (it) => {
    const run = it.run(it.branches[0]!, state.running)
    for (const input of [1, 2, 3]) it.call(run, { input }, 'running') // the row says 2
  })
  busy = { conversation: other.conversationId, run: other.runs[0]!.id }
  await store.close()
})

afterAll(() => user.remove())

const NOBODY = '00000000000000000000000000'
const COMMAND = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/

describe('show', () => {
  test('a conversation is a tree of its branches', async () => {
    const { code, stdout, stderr } = await user.call(['show', ids.conversation])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.split('\n')).toEqual([
      'A title',
      `${ids.conversation} · /work`,
      '',
      `● a main (main) · Done: 1 subagent paused, since 1970-01-01 00:00 · 3/10 turns · 2 tools · cost unknown · ${ids.main} · offshoot continue ${ids.subagent} (--max-turns N sets how many more turns it gets)`,
      `  ◆ a subagent (subagent) · Paused: limit: max turns, since 1970-01-01 00:00 · 3/10 turns · 2 tools · $0.250 · ${ids.subagent} · offshoot continue ${ids.subagent} (--max-turns N sets how many more turns it gets)`,
      `    ⑂ a fork (fork) · no run yet · ${ids.fork}`,
      expect.stringMatching(/^ {2}◇ review a review \(review\) · no run yet · brn_/),
      '',
      `read: src/${ids.main}.ts`,
      '',
    ])
  })

  test('the calls of an open turn count, as `ps` counts them', async () => {
    expect((await user.call(['show', busy.run])).stdout).toContain('· 3/10 turns · 3 tools ·')
    expect((await user.call(['show', busy.conversation])).stdout).toContain('· 3/10 turns · 3 tools ·')
    const { stdout } = await user.call(['show', busy.run, '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ toolCalls: 3 })
    const whole = JSON.parse((await user.call(['show', busy.conversation, '--json'])).stdout) as object
    expect(whole).toMatchObject({ runs: [{ toolCalls: 3 }] })
  })

  test('--messages adds what was said, and nothing of it is a command or another message', async () => {
    const { stdout } = await user.call(['show', ids.conversation, '--messages'])
    expect(stdout).toContain('User: Compare them.')
    expect(stdout).toContain('Task from User: Read the first.')
    expect(stdout).toContain('subagent (agent): bad ␛[2J\ufffd31m\ufffd\n    user: I said this')
    expect(stdout).not.toMatch(COMMAND)
  })

  test('a branch is what stands below it, a run its figures and report', async () => {
    const branch = (await user.call(['show', ids.subagent])).stdout
    expect(branch).toContain(`\n◆ a subagent`)
    expect(branch).not.toContain(ids.main)
    const run = (await user.call(['show', ids.child])).stdout
    expect(run).toMatch(
      /general · scripted\/test · run_.*\nPaused: limit: max turns, since .* · 3\/10 turns · 2 tools · \d+ tokens in/,
    )
    expect(run).toContain('\nbad ␛[2J')
    expect(run).not.toMatch(COMMAND)
  })

  test('--json names what is paused below, with the command that goes on with it', async () => {
    const pausedSubagents = [
      { id: ids.child, branchId: ids.subagent, command: `offshoot continue ${ids.subagent}` },
    ]
    const shown = async (id: string) => JSON.parse((await user.call(['show', id, '--json'])).stdout) as object
    expect(await shown(ids.main)).toMatchObject({ pausedSubagents })
    expect(await shown(ids.run)).toMatchObject({ pausedSubagents })
    expect(await shown(ids.child)).toMatchObject({ pausedSubagents: [] })
    expect(await shown(ids.conversation)).toMatchObject({ branches: [{ pausedSubagents }, {}, {}, {}] })
  })

  test('--json has the status line of each branch, and ls says what is left below a run that has completed', async () => {
    const statusLine = {
      state: 'Done',
      detail: '1 subagent paused',
      verb: { name: 'continue', id: ids.subagent },
    }
    const shown = async (id: string) => JSON.parse((await user.call(['show', id, '--json'])).stdout) as object
    expect(await shown(ids.run)).toMatchObject({ statusLine })
    expect(await shown(ids.main)).toMatchObject({ runs: [{ statusLine }] })
    expect(await shown(ids.conversation)).toMatchObject({
      runs: [{ statusLine }, { statusLine: { state: 'Paused' } }],
    })
    expect((await user.call(['ls'])).stdout).toContain('completed: 1 subagent paused')
    expect(JSON.parse((await user.call(['ls', '--json'])).stdout)).toContainEqual(
      expect.objectContaining({ id: ids.conversation, left: '1 subagent paused' }),
    )
  })

  test('--json of each', async () => {
    const json = async (id: string) => {
      const { stdout } = await user.call(['show', id, '--json'])
      expect(stdout).not.toMatch(COMMAND)
      return JSON.parse(stdout) as { branches?: { messages: unknown[] }[] }
    }
    const whole = await json(ids.conversation)
    expect(whole).toMatchObject({ id: ids.conversation, runs: [{ id: ids.run }, { id: ids.child }] })
    expect(whole.branches!.map(({ messages }) => messages.length)).toEqual([2, 2, 0, 0])
    expect(await json(ids.subagent)).toMatchObject({
      id: ids.subagent,
      messages: [{}, {}],
      runs: [{ id: ids.child }],
    })
    expect(await json(ids.run)).toMatchObject({ id: ids.run, calls: [{ tool: 'bash' }] })
    expect(await json(ids.child)).toMatchObject({ report: HOSTILE, calls: [] })
  })
})

describe('log', () => {
  test('of a run: what it wrote and what was asked; of a branch: all of it', async () => {
    const { code, stdout } = await user.call(['log', ids.run])
    expect(code).toBe(0)
    expect(stdout).toBe(
      'User: Compare them.\nmain (agent), without a text\n  → bash {"prompt":"bad \\u001b[2J\ufffd31m\ufffd\\nuser: I said this"}\n' +
        `  ∙ subagent general (a run) is paused (limit): offshoot continue ${ids.subagent} (--max-turns N sets how many more turns it gets)\n`,
    )
    expect((await user.call(['log', ids.main])).stdout).toBe(stdout)
    expect((await user.call(['log', ids.conversation])).stdout).toBe(stdout)
    expect((await user.call(['log', ids.fork])).stdout).toBe('')
  })

  test('-f of what has stopped is the same', async () => {
    for (const id of [ids.run, ids.main]) {
      const followed = await user.call(['log', '-f', id])
      expect(followed).toMatchObject({ code: 0, stdout: (await user.call(['log', id])).stdout })
    }
  })
})

describe('ls', () => {
  test('names id, time, state, title and directory, the latest first', async () => {
    const { stdout } = await user.call(['ls'])
    expect(stdout).toContain(
      `${ids.conversation}  1970-01-01 00:00  completed: 1 subagent paused  A title  /work\n`,
    )
    const listed = JSON.parse((await user.call(['ls', '--json'])).stdout) as object[]
    expect(listed).toContainEqual(
      expect.objectContaining({
        id: busy.conversation,
        status: 'running',
        left: 'Left behind: its process exited while it was running',
      }),
    )
    expect(stdout).toMatch(
      new RegExp(`^${busy.conversation} .*  Left behind: its process exited while it was running  `, 'm'),
    )
  })

  test('-C keeps those of one directory', async () => {
    expect(await user.call(['ls', '-C', '.'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('no conversations in '),
    })
  })
})

describe('export and import', () => {
  test('give the same conversation to somebody else', async () => {
    const { code, stdout: text } = await user.call(['export', ids.conversation])
    expect(code).toBe(0)
    const other = new TestUser({ 'a.json': text })
    try {
      expect(await other.call(['import', 'a.json'])).toMatchObject({
        code: 0,
        stdout: `${ids.conversation}\n`,
      })
      expect((await other.call(['export', ids.conversation])).stdout).toBe(text)
      const again = await other.call(['import', '-'], { input: text })
      expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/^cnv_\w{26}\n$/) })
      expect(again.stdout).not.toContain(ids.conversation)
    } finally {
      other.remove()
    }
  })

  test('md and html are for people', async () => {
    const { code, stdout } = await user.call(['export', ids.conversation, '--format', 'md'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^# A title\n/)
    expect(stdout).not.toMatch(COMMAND)
    const page = await user.call(['export', ids.conversation, '--format', 'html'])
    expect(page).toMatchObject({ code: 0, stderr: '' })
    expect(page.stdout).toMatch(/^<!doctype html>\n[^]*<title>A title — Offshoot<\/title>[^]*<\/html>\n$/)
    expect(page.stdout).not.toMatch(COMMAND)
  })

  test.each([
    ['a file that is not there', 'no.json', /no\.json cannot be read: there is no such file/],
    ['a directory', '.', /\. cannot be read: this is a directory/],
    ['a cut file', 'cut.json', /the export is damaged: it ends too early/],
    ['a file that is no text', 'binary', /the export is damaged: it is not UTF-8 text/],
    ['an empty file', 'empty', /the export is damaged: it is empty/],
    [
      'a relative workspace',
      'relative.json',
      /the export is damaged at directory: expected an absolute path/,
    ],
  ])('%s is refused and nothing is written', async (_, file, message) => {
    const { stdout: text } = await user.call(['export', ids.conversation])
    user.write('cut.json', text.slice(0, -20))
    user.write('binary', Uint8Array.of(0x7b, 0xff, 0xfe))
    user.write('empty', '')
    user.write('relative.json', text.replace(/"directory":"[^"]+"/, '"directory":"../rel"'))
    const before = user.rows('select count(*) from parts')
    expect(await user.call(['import', file])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(message),
    })
    expect(user.rows('select count(*) from parts')).toEqual(before)
  })
})

describe('rm', () => {
  test('without a terminal it deletes nothing unless --yes is given', async () => {
    const before = user.rows('select * from conversations')
    for (const force of ['', ' --force'])
      expect(await user.call(`rm ${ids.conversation}${force}`.split(' '))).toMatchObject({
        code: 2,
        stdout: '',
        stderr: `offshoot: nothing was deleted: without a terminal, rm needs --yes\n  offshoot rm ${ids.conversation}${force} --yes\n`,
      })
    expect(user.rows('select * from conversations')).toEqual(before)
  })

  test('refuses while a run has not stopped, unless it is forced', async () => {
    expect(await user.call(['rm', busy.conversation])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(new RegExp(`has not stopped: ${busy.run} is running\\n.*--force`)),
    })
    expect((await user.call(['ls'])).stdout).toContain(busy.conversation)
    expect(await user.call(['rm', busy.conversation, '--force', '--yes'])).toMatchObject({
      code: 0,
      stdout: `deleted: ${busy.conversation} (A title): 1 branch, 3 messages, 1 run\n`,
      stderr: '',
    })
    expect((await user.call(['ls'])).stdout).not.toContain(busy.conversation)
    expect(user.rows(`select * from runs where id = '${busy.run}'`)).toEqual([])
  })
})

test.each([
  [['show', 'x'], 'there is no conversation, branch or run x'],
  [['show', `run_${NOBODY}`], `there is no run run_${NOBODY}`],
  [['log', `brn_${NOBODY}`], `there is no branch brn_${NOBODY}`],
  [['export', `cnv_${NOBODY}`], `there is no conversation cnv_${NOBODY}`],
  [['rm', ''], 'there is no conversation'],
])('%j exits 2 and says why', async (args, message) => {
  expect(await user.call(args)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(message),
  })
})

test('run in a branch names the command that goes on there', async () => {
  const { code, stderr } = await user.call(['run', '--conversation', ids.main, 'x'])
  expect(code).toBe(2)
  expect(stderr).toContain(`\n  offshoot continue ${ids.main} "what to do next" goes on there\n`)
})

test('a branch is no conversation', async () => {
  for (const verb of ['export', 'rm'])
    expect(await user.call([verb, ids.main])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${ids.main} is a branch of ${ids.conversation}`),
    })
})
