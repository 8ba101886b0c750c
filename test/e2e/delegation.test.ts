import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseEvent, isEphemeral, type OffshootEvent } from '../../src/core/events.ts'
import type { Ended } from '../support/started-program.ts'
import { TestUser } from '../support/test-user.ts'

const SUBJECTS = ['apples', 'pears', 'plums']

let user: TestUser
let json: Ended
let events: Ended
let text: Ended

beforeAll(async () => {
  user = new TestUser({ 'fruit.txt': 'apples\npears\nplums\n' })
  text = await user.run(['run', 'Count the fruit.', '-m', user.script(threeTasks())])
  json = await user.run(['run', 'Count.', '-m', user.script(threeTasks()), '--output-format', 'json'])
  events = await user.run(['run', 'Count.', '-m', user.script(threeTasks()), '--output-format', 'events'])
})

afterAll(() => user.remove())

describe('three task calls in one turn', () => {
  it('are three branches from one message, each with its report to the parent', () => {
    expect(text).toMatchObject({ code: 0, stdout: 'All counted.\n' })
    const latest = `(select id from conversations order by created_at limit 1)`
    const branches = user.rows(
      `select * from branches where conversation_id = ${latest} and kind = 'subagent'`,
    )
    expect(branches.map(({ label }) => label)).toEqual(SUBJECTS.map((each) => `count ${each}`))
    expect(new Set(branches.map((row) => row['origin_message_id'])).size).toBe(1)
    expect(new Set(branches.map((row) => row['origin_tool_call_id'])).size).toBe(3)
    expect(new Set(branches.map((row) => row['parent_branch_id'])).size).toBe(1)
    const results = user.rows(
      `select part from parts join messages on message_id = messages.id
       where messages.conversation_id = ${latest} and branch_id = '${String(branches[0]!['parent_branch_id'])}' and role = 'tool'`,
    )
    for (const subject of SUBJECTS)
      expect(JSON.stringify(results)).toContain(`There is one line of ${subject}.`)
  })

  it('show a line each on stderr, live: agent, task, what it does, tools, elapsed', () => {
    for (const subject of SUBJECTS) {
      const lines = text.stderr.split('\n').filter((line) => line.includes(`count ${subject}`))
      const own = lines.filter((line) => line.startsWith('  '))
      expect(own[0]).toMatch(/^ {2}◐ explore +count \w+ — Thinking · \d+s$/)
      expect(own.slice(1).join('\n')).toMatch(/◐ explore +count \w+ — Grep .+ · \d+s · 1 tool/)
      expect(own.at(-1)).toMatch(
        /✓ explore +count \w+ — done in \d+\.\ds · 1 tool · \$0: There is one line of \w+\.$/,
      )
    }
  })

  it('are in one JSON object with totals that count each run once', () => {
    expect(json.code).toBe(0)
    const document = JSON.parse(json.stdout) as ResultDocument
    expect(Object.keys(document)).toEqual(expect.arrayContaining(CONTRACT_KEYS))
    expect(document).toMatchObject({
      status: 'completed',
      end_reason: 'done',
      text: 'All counted.',
      turns: 2,
    })
    expect(document).toMatchObject({ tool_calls: 6, cost_usd: 0, permission_denials: [] })
    expect(document.subagents.map((each) => each.description)).toEqual(
      SUBJECTS.map((each) => `count ${each}`),
    )
    for (const each of document.subagents) {
      expect(Object.keys(each)).toEqual(expect.arrayContaining(SUBAGENT_KEYS))
      expect(each).toMatchObject({
        agent: 'explore',
        status: 'completed',
        parent_task_id: null,
        turns: 2,
        tool_calls: 1,
      })
      expect(each.usage).toMatchObject({ input_tokens: 30, output_tokens: 4 })
      expect(each.ended_at).toBeGreaterThanOrEqual(each.started_at)
    }
    // the main agent's two turns, and each subagent's two
    expect(document.usage).toMatchObject({ input_tokens: 1_100 + 3 * 30, output_tokens: 110 + 3 * 4 })
    const latestStart = Math.max(...document.subagents.map((each) => each.started_at))
    expect(Math.min(...document.subagents.map((each) => each.ended_at))).toBeGreaterThanOrEqual(latestStart)
  })

  it('are in one stream of events, each as the contract says, without a gap in seq', () => {
    const all = events.stdout
      .trimEnd()
      .split('\n')
      .map((line) => parseEvent(JSON.parse(line)))
    const durable = all.filter((event) => !isEphemeral(event.type))
    expect(durable.map((event) => event.seq)).toEqual(durable.map((_, at) => at + 1))
    const live = all.filter((event) => isEphemeral(event.type))
    expect(live.length).toBeGreaterThan(0)
    for (const [at, event] of all.entries())
      if (isEphemeral(event.type)) expectAfterItsSeq(event, all[at - 1]!)
    const started = all.filter((event) => event.type === 'run.started')
    expect(started.map(({ depth, agent }) => [depth, agent])).toEqual([
      [0, 'main'],
      [1, 'explore'],
      [1, 'explore'],
      [1, 'explore'],
    ])
    for (const { depth, parentRunId } of started)
      expect(parentRunId).toBe(depth === 0 ? null : started[0]!.runId)
    expect(all.at(-1)).toMatchObject({ type: 'run.completed', depth: 0, endReason: 'done', toolCalls: 3 })
  })
})

describe('what is kept', () => {
  it('can be listed, shown and gone on with', async () => {
    const { conversation_id: id } = JSON.parse(json.stdout) as ResultDocument
    const list = await user.run(['ls'])
    expect(list).toMatchObject({ code: 0, stderr: '' })
    expect(list.stdout.trimEnd().split('\n')).toHaveLength(3)
    expect(list.stdout).toContain(`${id}  `)
    const listed = JSON.parse((await user.run(['ls', '--json'])).stdout) as { id: string }[]
    expect(listed.map((each) => each.id)).toContain(id)

    const [before] = user.rows(
      `select seq + json_array_length(events) as next from events where conversation_id = '${id}' order by seq desc`,
    )
    const script = user.script({ main: [{ match: '^And now\\?$', text: 'Still the same.' }] })
    const next = await user.run([
      'run',
      'And now?',
      '-m',
      script,
      '--conversation',
      id,
      '--output-format',
      'events',
    ])
    expect(next.code).toBe(0)
    const seqs = next.stdout
      .trimEnd()
      .split('\n')
      .map((line) => parseEvent(JSON.parse(line)).seq)
    expect(seqs[0]).toBe(before!['next'])
    expect(next.stderr).not.toContain('count apples')

    const latest = user.script({ main: [{ text: 'Yes.' }] })
    const again = await user.run(['run', 'Sure?', '-m', latest, '--continue', '--output-format', 'json'])
    expect(JSON.parse(again.stdout)).toMatchObject({ conversation_id: id, text: 'Yes.', subagents: [] })

    const [shown, tree] = await Promise.all([user.run(['show', id]), user.run(['show', id, '--json'])])
    expect(shown).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/count apples[^]*count plums/),
    })
    const { branches, runs } = JSON.parse(tree.stdout) as { branches: unknown[]; runs: unknown[] }
    expect(branches).toHaveLength(4)
    expect(runs).toHaveLength(6)
    for (const text of [
      'Count.',
      'There is one line of pears.',
      'And now?',
      'Still the same.',
      'Sure?',
      'Yes.',
    ])
      expect(tree.stdout).toContain(text)
  })

  it('lies where OFFSHOOT_HOME says, seen from where the user stands, which under npm is not where the program does', async () => {
    const npm = { npm_lifecycle_event: 'start', npm_package_name: 'offshoot', INIT_CWD: user.directory }
    const env = { ...npm, OFFSHOOT_HOME: 'data' }
    const { code } = await user.run(['run', 'Go.', '-m', user.script({ main: [{ text: 'Done.' }] })], {
      cwd: user.root,
      env,
    })
    expect(code).toBe(0)
    expect(existsSync(join(user.directory, 'data/offshoot.db'))).toBe(true)
  })
})

interface ResultDocument {
  readonly conversation_id: string
  readonly usage: object
  readonly subagents: readonly {
    readonly description: string
    readonly usage: object
    readonly started_at: number
    readonly ended_at: number
  }[]
}

/** The document of `--output-format json` (docs/output.md). */
const CONTRACT_KEYS =
  'conversation_id run_id status end_reason text usage cost_usd turns tool_calls subagents permission_denials duration_ms'.split(
    ' ',
  )
const SUBAGENT_KEYS =
  'task_id run_id parent_task_id agent description status end_reason turns tool_calls started_at ended_at usage cost_usd'.split(
    ' ',
  )

function threeTasks() {
  const task = (subject: string) => ({
    tool: 'task',
    input: { subagent_type: 'explore', description: `count ${subject}`, prompt: `Count ${subject}.` },
  })
  const usage = { input: 10, output: 1 }
  // a subagent answers only after all three have begun: the delays overlap
  const child = (subject: string) => [
    {
      match: `Count ${subject}`,
      toolCalls: [{ tool: 'grep', input: { pattern: subject } }],
      usage,
      delayMs: 150,
    },
    {
      match: `fruit.txt[^]*${subject}`,
      text: `There is one line of ${subject}.`,
      usage: { input: 20, output: 3 },
    },
  ]
  return {
    main: [
      { toolCalls: SUBJECTS.map(task), usage: { input: 100, output: 10 } },
      { match: 'subagent_report', text: 'All counted.', usage: { input: 1_000, output: 100 }, chunks: 3 },
    ],
    explore: SUBJECTS.flatMap(child),
  }
}

function expectAfterItsSeq(event: OffshootEvent, before: OffshootEvent): void {
  expect(event.seq).toBe(before.seq)
  expect(event.sub ?? 0).toBeGreaterThan(before.sub ?? 0)
}
