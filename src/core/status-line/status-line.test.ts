import { describe, expect, it } from 'vitest'
import { state, type RunState } from '../run-status.ts'
import { activityOf } from './activity.ts'
import { childrenByBranch, type ChildRun } from './child-counts.ts'
import { factsAround, familyTree } from './facts-around.ts'
import { statusLine, type StatusFacts, type StatusRun } from './status-line.ts'

const base = {
  branchId: 'brn_1',
  waitingFor: null,
  queuePosition: null,
  queuedAt: 10,
  startedAt: 20,
  endedAt: null,
} as const

function said(to: RunState, more: Partial<StatusRun> = {}, facts: StatusFacts = {}): string {
  const { state: words, detail } = statusLine({ ...base, ...to, ...more }, facts)
  return detail === null ? words : `${words}: ${detail}`
}

const child = (to: RunState, more: Partial<ChildRun> = {}): ChildRun => ({
  branchId: 'brn_2',
  background: false,
  endedAt: to.endReason === null ? null : 100,
  ...to,
  ...more,
})

const waitFor = (
  what: 'approval' | 'question' | 'children' | 'retry',
  detail: string,
  more: object = {},
) => ({
  waitingFor: { what, detail, since: 50, ...more },
})

describe('a branch that works', () => {
  it('says what it does now: the calls that run, what it writes, or that it thinks', () => {
    const call = (title: string, status = 'running') => ({ title, status, startedAt: 30 })
    const now = (...given: Parameters<typeof activityOf>) =>
      said(state.running, {}, { activity: activityOf(...given) })
    expect(now([call('Read a', 'completed'), call('$ make')], [])).toBe('Running: $ make')
    expect(now([call('Read a'), call('Read b')], [])).toBe('Running: Read b (and 1 more)')
    expect(now([call('Read a', 'completed')], [])).toBe('Running: Thinking')
    expect(now([call('Read a', 'completed')], [{ type: 'reasoning' }, { type: 'text' }])).toBe(
      'Running: Writing',
    )
    expect(now([], [{ type: 'reasoning' }])).toBe('Running: Thinking')
    const activity = activityOf([call('$ make')], [])
    expect(statusLine({ ...base, ...state.running }, { activity }).since).toBe(30)
  })

  it('says of a pause that is on its way who asked for it and what ends first; continue takes it back', () => {
    const activity = activityOf([{ title: '$ make', status: 'running', startedAt: 30 }], [])
    const pausing = { ...base, ...state.running, pausing: 'user' as const }
    expect(statusLine(pausing, { activity })).toMatchObject({
      state: 'Pausing',
      detail: 'asked by you; first: $ make',
      verb: { name: 'continue', id: 'brn_1' },
    })
    const waits = { ...waitFor('children', '1 subagent'), pausing: 'parent' as const }
    expect(said(state.waiting('children'), waits, { children: [child(state.running)] })).toBe(
      'Pausing: with its parent; first: waiting for 1 subagent',
    )
  })

  it('says its place in the queue, and of how many', () => {
    expect(said(state.queued)).toBe('Queued')
    expect(said(state.queued, { queuePosition: 2 })).toBe('Queued (number 2)')
    expect(said(state.queued, { queuePosition: 2 }, { queueLength: 5 })).toBe('Queued (number 2 of 5)')
    expect(said(state.queued, { queuePosition: 2 }, { queueLength: 5, queueLine: 'process' })).toBe(
      'Queued: every slot of its process is taken',
    )
  })

  it('says that nobody drives it, whatever it did', () => {
    for (const to of [state.queued, state.running, state.waiting('approval')])
      expect(statusLine({ ...base, ...to, ...waitFor('approval', '$ make') }, { isDriven: false })).toEqual({
        state: 'Left behind',
        detail: `its process exited while it was ${to.status}`,
        since: null,
        until: null,
        verb: { name: 'recover', id: null },
      })
    expect(said(state.completed, {}, { isDriven: false })).toBe('Done')
  })
})

describe('a branch that waits', () => {
  it('says for whom, since when, and which verb helps', () => {
    const approval = {
      ...base,
      ...state.waiting('approval'),
      ...waitFor('approval', '$ make', { until: 99 }),
    }
    expect(statusLine(approval, { asks: ['apr_1', 'apr_2'] })).toEqual({
      state: 'Waiting for you',
      detail: '$ make',
      since: 50,
      until: null,
      verb: { name: 'approve', id: 'apr_1' },
    })
    const question = { ...base, ...state.waiting('question'), ...waitFor('question', 'Which?') }
    expect(statusLine(question, { asks: ['que_1'] }).verb).toEqual({ name: 'answer', id: 'que_1' })
    const both = { ...base, ...state.waiting('children'), ...waitFor('children', '1 subagent') }
    expect(statusLine(both, { asks: ['apr_1'] })).toMatchObject({ state: 'Waiting for you', detail: null })
  })

  it('tells a provider that refuses from a budget that others hold', () => {
    const refused = waitFor('retry', 'openai is paused: 429', { until: 80 })
    expect(statusLine({ ...base, ...state.waiting('retry'), ...refused })).toMatchObject({
      state: 'Waiting for the provider',
      detail: 'openai is paused: 429',
      since: 50,
      until: 80,
    })
    const held = waitFor('retry', '$0.12 is reserved by running requests', { code: 'budget' })
    expect(said(state.waiting('retry'), held)).toBe(
      'Waiting for budget: $0.12 is reserved by running requests',
    )
  })

  const children = (...runs: ChildRun[]) =>
    said(state.waiting('children'), waitFor('children', '3 subagents'), { children: runs })

  it('counts the subagents that are left, and says what became of the others', () => {
    const [works, cancelled] = [child(state.running), child(state.cancelled('user'))]
    expect(children(works, works, works)).toBe('Waiting for 3 subagents')
    expect(children(works, cancelled, cancelled)).toBe('Waiting for 1 of 3 subagents: 2 cancelled')
    const asks = child(state.waiting('approval'))
    expect(children(works, asks, child(state.queued), child(state.completed))).toBe(
      'Waiting for 3 of 4 subagents: 1 done, 1 needs you, 1 queued',
    )
    expect(children()).toBe('Waiting for 3 subagents')
  })

  it('does not count what had ended before it waited, nor what nobody waits for', () => {
    const earlier = child(state.completed, { endedAt: 49 })
    const behind = child(state.running, { background: true })
    expect(children(earlier, behind, child(state.running))).toBe('Waiting for 1 subagent')
    expect(children(earlier, behind)).toBe('Waiting for 1 subagent')
  })

  it('of a subagent that a limit has paused expects nothing more; one that a person has paused is to be continued', () => {
    const left = [child(state.paused('user'), { branchId: 'brn_7' }), child(state.paused('max_turns'))]
    const run = { ...base, ...state.waiting('children'), ...waitFor('children', '2 subagents') }
    expect(statusLine(run, { children: left })).toMatchObject({
      state: 'Waiting for 1 of 2 subagents',
      detail: '1 stopped at a limit, 1 paused',
      verb: { name: 'continue', id: 'brn_7' },
    })
  })
})

describe('a branch that has stopped', () => {
  it.each([
    [state.paused('user'), 'Paused: by you'],
    [state.paused('parent'), 'Paused: with its parent'],
    [state.paused('max_turns'), 'Paused: limit: max turns'],
    [state.paused('budget'), 'Paused: budget'],
    [state.paused('restart'), 'Paused: its program exited or abandoned it'],
    [state.cancelled('user'), 'Cancelled: by you'],
    [state.cancelled('parent'), 'Cancelled: with its parent'],
    [state.cancelled('restart'), 'Cancelled: its program was asked to stop'],
    [state.completed, 'Done'],
  ])('%j is "%s"', (to, words) => {
    expect(said(to, { endedAt: 90 })).toBe(words)
  })

  it('says why it failed, since when, and that it can be continued', () => {
    const failed = { ...base, ...state.failed, endedAt: 90, error: { message: 'no key' } }
    expect(statusLine(failed)).toEqual({
      state: 'Failed',
      detail: 'no key',
      since: 90,
      until: null,
      verb: { name: 'continue', id: 'brn_1' },
    })
  })

  it.each(['refusal', 'content_filter'])('names no verb after a %s: it would be refused again', (code) => {
    const error = { code, message: 'own/model: the model refused to answer' }
    expect(statusLine({ ...base, ...state.failed, endedAt: 90, error })).toEqual({
      state: 'Failed',
      detail: 'own/model: the model refused to answer',
      since: 90,
      until: null,
      verb: null,
    })
  })

  it('says that subagents are paused below it, and which to continue', () => {
    const children = [
      child(state.paused('user'), { branchId: 'brn_7' }),
      child(state.running),
      child(state.completed),
    ]
    expect(statusLine({ ...base, ...state.completed, endedAt: 90 }, { children })).toMatchObject({
      state: 'Done',
      detail: '1 subagent paused, 1 subagent still running',
      verb: { name: 'continue', id: 'brn_7' },
    })
  })
})

it('the subagents of a branch are those that any run of it has started, each by its latest run', () => {
  const row = (id: string, branchId: string, parentRunId: string | null, to: RunState = state.completed) => ({
    ...child(to),
    id,
    branchId,
    parentRunId,
  })
  const runs = [
    row('1', 'main', null),
    row('2', 'a', '1'),
    row('3', 'b', '2'),
    row('4', 'main', null),
    row('5', 'c', '4'),
    row('6', 'a', '1', state.running),
  ]
  expect([...childrenByBranch(runs)]).toEqual([
    ['main', [runs[5], runs[4]]],
    ['a', [runs[2]]],
  ])
})

describe('what is around a run', () => {
  const run = (id: string, to: RunState, more: object = {}) => ({
    ...base,
    ...to,
    id,
    branchId: `brn_${id}`,
    parentRunId: null,
    background: true,
    endedAt: to.endReason === null ? null : 100,
    ...more,
  })
  const of = (runs: readonly ReturnType<typeof run>[], id: string, asks: Record<string, string[]> = {}) => {
    const known = runs.find((each) => each.id === id)!
    return statusLine(
      known,
      factsAround(known, familyTree(runs), (each) => asks[each.id] ?? []),
    )
  }
  const main = run('1', state.completed)
  const child = (to: RunState, more: object = {}) => run('2', to, { parentRunId: '1', ...more })

  it('counts what is paused or works at any depth below one that is done', () => {
    const grand = run('3', state.paused('max_output_tokens'), { parentRunId: '2' })
    const runs = [main, child(state.completed), grand]
    expect(of(runs, '1')).toMatchObject({
      state: 'Done',
      detail: '1 subagent paused',
      verb: { name: 'continue', id: 'brn_3' },
    })
    expect(of([main, child(state.completed), { ...grand, ...state.running }], '1')).toMatchObject({
      detail: '1 subagent still running',
    })
  })

  it('counts it below one that is paused too, of which the verb continues the run itself', () => {
    const paused = run('1', state.paused('user'))
    const asks = run('3', state.waiting('approval'), { parentRunId: '2' })
    const pausedWith = { ...child(state.paused('parent')), id: '4', branchId: 'b4' }
    expect(of([paused, child(state.completed), asks, pausedWith], '1')).toMatchObject({
      state: 'Paused',
      detail: 'by you; 1 subagent paused, 1 subagent needs you',
      verb: { name: 'continue', id: paused.branchId },
    })
    const facts = { below: [child(state.running)], isDriven: false }
    expect(statusLine(paused, facts).detail).toBe('by you; 1 subagent left behind')
  })

  it('names who waits for a person below one that is done, with the verb that answers', () => {
    const runs = [main, child(state.waiting('approval')), run('3', state.running, { parentRunId: '1' })]
    expect(of(runs, '1', { 2: ['apr_7'] })).toMatchObject({
      detail: '1 subagent needs you, 1 subagent still running',
      verb: { name: 'approve', id: 'apr_7' },
    })
    expect(of([main, child(state.waiting('question'))], '1', { 2: ['que_7'] })).toMatchObject({
      detail: '1 subagent needs you',
      verb: { name: 'answer', id: 'que_7' },
    })
    expect(of([main, child(state.queued)], '1').detail).toBe('1 subagent queued')
  })

  it('says of what is below a run that is done that nobody drives it', () => {
    expect(statusLine(main, { below: [child(state.running)], isDriven: false })).toMatchObject({
      detail: '1 subagent left behind',
      verb: { name: 'recover' },
    })
  })

  it('says whether a subagent was cancelled by the agent above it, or with it', () => {
    const cancelled = child(state.cancelled('parent'))
    expect(of([main, cancelled], '2').detail).toBe('by its parent')
    expect(of([run('1', state.cancelled('user')), cancelled], '2').detail).toBe('with its parent')
    const later = run('1', state.cancelled('user'), { endedAt: 200 })
    expect(of([later, cancelled], '2').detail).toBe('by its parent')
    expect(of([later, { ...cancelled, background: false }], '2').detail).toBe('with its parent')
  })

  it('says of one that was paused after its parent was done that everything was', () => {
    const paused = child(state.paused('parent'))
    expect(of([main, paused], '2').detail).toBe('with the conversation')
    expect(of([run('1', state.paused('user')), paused], '2').detail).toBe('with its parent')
  })

  it('says of one that went on while its parent was paused that everything was paused later', () => {
    const parent = run('1', state.paused('user'), { endedAt: 90 })
    expect(of([parent, child(state.paused('parent'))], '2').detail).toBe('with the conversation')
    const pausing = child(state.running, { pausing: 'parent' })
    expect(of([parent, pausing], '2').detail).toBe('with the conversation')
    expect(of([run('1', state.running), pausing], '2').detail).toBe('with its parent')
  })

  it('says that reports wait for one that is paused', () => {
    const paused = { ...base, ...state.paused('user'), endedAt: 90 }
    expect(statusLine(paused, { unread: { reports: 1, messages: 0 } }).detail).toBe(
      'by you; 1 report waits to be read',
    )
  })

  it('names the question before the pause that was asked for: `continue` would take the pause back', () => {
    const asking = { ...base, ...state.waiting('approval'), pausing: 'user' as const }
    expect(statusLine(asking, { asks: ['apr_1'] })).toMatchObject({
      state: 'Pausing',
      detail: 'asked by you; after your answer',
      verb: { name: 'approve', id: 'apr_1' },
    })
  })

  it('says that reports wait for one that is done, and that it can be continued', () => {
    const done = { ...base, ...state.completed, endedAt: 90 }
    expect(statusLine(done, { unread: { reports: 1, messages: 0 } })).toMatchObject({
      state: 'Done',
      detail: '1 report waits to be read',
      verb: { name: 'continue', id: 'brn_1' },
    })
    const children = [child(state.running)]
    expect(statusLine(done, { unread: { reports: 2, messages: 1 }, children }).detail).toBe(
      '2 reports wait to be read, 1 message waits to be read, 1 subagent still running',
    )
    expect(statusLine(done, { unread: { reports: 0, messages: 0 } })).toMatchObject({
      detail: null,
      verb: null,
    })
  })
})

describe('a time', () => {
  const activity = activityOf([{ title: '$ sleep 41', status: 'running', startedAt: 30 }], [])

  it('of a pause that was asked for is not that of the call that ends first', () => {
    const pausing = { ...base, ...state.running, pausing: 'user' as const }
    expect(statusLine(pausing, { activity }).since).toBeNull()
  })

  it('of an answer is that of its message, and of a thought that has none is not that of the run', () => {
    const since = (...given: Parameters<typeof activityOf>) =>
      statusLine({ ...base, ...state.running }, { activity: activityOf(...given) }).since
    expect(since([], [{ type: 'text' }], 77)).toBe(77)
    expect(since([], [])).toBeNull()
  })
})
