import { describe, expect, it } from 'vitest'
import type { Mechanism } from '../../support/faults.ts'
import { reportsIn, ScriptedTree, task } from '../../support/scripted-tree.ts'

const GREPS = 364
const STALL_MS = 1_500
/** Only where nothing else ends it. */
const TIMEOUT_MS = 5_000

describe('P5: a subagent that goes in circles', () => {
  it('ends after 6 of its identical calls, with a report that says why', async () => {
    expect(await greps()).toEqual([])
  })

  it('fails without the watchdog: it calls until its turns are used', async () => {
    expect(await greps('watchdog')).toEqual(['it has called 49 times', 'it ended by max_turns'])
  })
})

describe('P5: a subagent whose provider never answers', () => {
  it('is paused once nothing has come for stallMs, and its parent is told', async () => {
    expect(await hangs()).toEqual([])
  })

  it('fails without the watchdog: only its time limit ends it', async () => {
    expect(await hangs('watchdog')).toEqual([
      'it ended by timeout',
      expect.stringMatching(/^it ended after 5\.\d s$/),
    ])
  })
})

async function greps(off?: Mechanism): Promise<string[]> {
  const grep = { tool: 'grep', input: { pattern: 'needle' } }
  await using tree = await ScriptedTree.open(
    {
      'Go.': [{ toolCalls: [task('a', { max_turns: 49 })] }, { text: 'Done.' }],
      'Do a.': [
        { text: 'I look.', toolCalls: [grep] },
        ...Array.from({ length: GREPS }, () => ({ toolCalls: [grep] })),
      ],
    },
    { files: { 'hay.txt': 'hay\n' }, off },
  )
  const { status, subagents } = await tree.run()
  expect(status).toBe('completed')
  const [{ calls } = {}] = tree.user.rows(
    "SELECT count(*) AS calls FROM tool_calls WHERE tool = 'grep' AND status = 'completed'",
  )
  const { end_reason } = subagents[0]!
  if (end_reason === 'stall') {
    const [report] = reportsIn(tree.of('Go.').at(-1)!.last).get(subagents[0]!.task_id)!
    expect(report).toMatch(/^\(5 equal calls in a row had the same result.*\)\nI look\.\n\(It is paused/)
  }
  return [
    ...(Number(calls) <= 6 ? [] : [`it has called ${Number(calls)} times`]),
    ...(end_reason === 'stall' ? [] : [`it ended by ${end_reason}`]),
  ]
}

async function hangs(off?: Mechanism): Promise<string[]> {
  await using tree = await ScriptedTree.open(
    {
      'Go.': [{ toolCalls: [task('a', { timeout_ms: TIMEOUT_MS }), task('b')] }, { text: 'Done.' }],
      'Do a.': [{ text: 'I look.', toolCalls: [{ tool: 'list', input: {} }] }, 'never'],
      'Do b.': [{ toolCalls: [{ tool: 'list', input: {} }] }, { text: 'Found.' }],
    },
    { config: { limits: { stallMs: STALL_MS } }, off },
  )
  const document = await tree.run()
  expect(document).toMatchObject({ status: 'completed', text: 'Done.' })
  const [a, b] = document.subagents
  expect(b).toMatchObject({ status: 'completed' })
  const [report] = reportsIn(tree.of('Go.').at(-1)!.whole).get(a!.task_id)!
  expect(report).toContain('I look.')
  const ms = a!.ended_at - a!.started_at
  return [
    ...(a!.end_reason === 'stall' ? [] : [`it ended by ${a!.end_reason}`]),
    ...(ms < TIMEOUT_MS ? [] : [`it ended after ${(ms / 1_000).toFixed(1)} s`]),
  ]
}
