import { describe, expect, it } from 'vitest'
import type { Mechanism } from '../../support/faults.ts'
import {
  reportsIn,
  ScriptedTree,
  task,
  untilEvent,
  waits,
  WAITS_ALLOWED,
} from '../../support/scripted-tree.ts'

describe('P1: a finished result reaches its parent', () => {
  it('exactly once, wakes the parent that is idle by then, and says why where it has no text', async () => {
    expect(await delivers()).toEqual([])
  })

  it('fails without waking: what has come waits in the inbox of an idle parent', async () => {
    expect(await delivers('waking')).toEqual([
      'the parent has read the report of a 0 times',
      '1 reports wait for a parent that is idle',
    ])
  })

  it('fails without stated reasons: a report is empty and does not say why', async () => {
    expect(await delivers('stated-reason')).toEqual(['the report of c is empty'])
  })
})

/** The parent has ended when `a` reports; woken by that, it starts two more, one of which never says anything. */
async function delivers(off?: Mechanism): Promise<string[]> {
  const background = { run_in_background: true }
  await using tree = await ScriptedTree.open(
    {
      'Go.': [
        { toolCalls: [task('a', background)] },
        { text: 'I wait.' },
        { toolCalls: [task('b', background), task('c', background)] },
        { text: 'I have heard.' },
      ],
      'Do a.': [{ toolCalls: [waits('a')] }, { text: 'The result of a.' }],
      'Do b.': [{ toolCalls: [{ tool: 'list', input: {} }] }, { text: 'The result of b.' }],
      'Do c.': [{ toolCalls: [{ tool: 'list', input: {} }] }, { text: '' }],
    },
    { config: { permissions: [WAITS_ALLOWED] }, off },
  )
  const program = tree.go()
  await untilEvent(program, ({ type, depth }) => type === 'run.completed' && depth === 0)
  tree.release('a')
  const { code, stderr } = await program.ended
  expect(code, stderr).toBe(0)

  const read = reportsIn(tree.of('Go.').at(-1)!.whole)
  const children = tree.user.rows("SELECT id, label FROM branches WHERE kind = 'subagent' ORDER BY id")
  const violations = children.flatMap(({ id, label: name }) => {
    const label = String(name)
    const reports = read.get(String(id)) ?? []
    if (reports.length !== 1) return [`the parent has read the report of ${label} ${reports.length} times`]
    return reports[0] === '' ? [`the report of ${label} is empty`] : []
  })
  const [{ waiting } = {}] = tree.user.rows(
    'SELECT count(*) AS waiting FROM inbox WHERE delivered_at IS NULL',
  )
  return waiting === 0
    ? violations
    : [...violations, `${Number(waiting)} reports wait for a parent that is idle`]
}
