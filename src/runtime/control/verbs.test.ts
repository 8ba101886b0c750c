import { describe, expect, test } from 'vitest'
import { expectEvents } from '../../../test/support/conversation-problems.ts'
import { harness, shownPrompt, stores, tool, type Harness } from '../../../test/support/runtime-harness.ts'
import type { StartedRun } from './acquire-and-drive.ts'

const task = (prompt: string, more: object = {}) => ({
  tool: 'task',
  input: { prompt, subagent_type: 'explore', ...more },
})
const background = { run_in_background: true }
const use = (name: string) => ({ tool: name, input: {} })
/** Goes on only when it is stopped. */
const work = tool('work', {
  execute: (_, { signal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
})
const bash = tool('bash', { effects: 'execute', subject: () => [{ kind: 'command', value: 'make' }] })

const twoChildren = {
  main: [
    { text: 'I ask two.', toolCalls: [task('one'), task('two')] },
    { text: 'Both have answered.' },
    { text: 'And again.' },
  ],
  explore: [{ toolCalls: [use('work')] }, { toolCalls: [use('work')] }],
}

function runs(h: Harness) {
  return h.store
    .find('runs', { orderBy: 'id' })
    .map(({ status, reason, endReason }) => `${status} ${reason ?? endReason ?? ''}`.trim())
}

const branchOf = (h: Harness, nth: number) => h.store.find('runs', { orderBy: 'id' })[nth]!.branchId
const runOf = (h: Harness, nth: number) => h.store.find('runs', { orderBy: 'id' })[nth]!.id
const waitingItems = (h: Harness) => h.store.find('inbox', { where: { deliveredAt: null } })

async function started(h: Harness): Promise<StartedRun> {
  const run = await h.start('go')
  await h.clock.settle()
  return run
}

const cancel = (h: Harness, run: StartedRun, target: string) =>
  h.perform(run.conversationId, { verb: 'cancel', target, args: null })
const interrupt = (h: Harness, run: StartedRun, target: string) =>
  h.perform(run.conversationId, { verb: 'interrupt', target, args: null })
const steer = (h: Harness, run: StartedRun, target: string, text: string) =>
  h.perform(run.conversationId, { verb: 'steer', target, args: { text } })

describe.each(stores)('what is driven, in the %s store', (_, open) => {
  test('is cancelled with all that is below, which answers how many that were', async () => {
    const h = harness({ store: await open(), tools: [work], script: twoChildren })
    const run = await started(h)
    const answer = await cancel(h, run, run.branchId)
    expect(answer).toEqual({ outcome: 'cancelled', status: 'cancelled', runs: 3, left: [] })
    expect(runs(h)).toEqual(['cancelled user', 'cancelled parent', 'cancelled parent'])
    expect(await h.clock.until(run.result)).toMatchObject({ status: 'cancelled', text: 'I ask two.' })
    expect(await cancel(h, run, run.runId)).toMatchObject({
      outcome: 'already_finished',
      status: 'cancelled',
      runs: 0,
    })
    h.flush()
    expectEvents(h.store, run.conversationId, h.told)
  })

  test('goes on without a child that is cancelled, and knows who did it', async () => {
    const h = harness({ store: await open(), tools: [work], script: twoChildren })
    const run = await started(h)
    for (const nth of [1, 2])
      expect(await cancel(h, run, runOf(h, nth))).toMatchObject({ outcome: 'cancelled', runs: 1 })
    expect(await h.clock.until(run.result)).toMatchObject({
      status: 'completed',
      text: 'Both have answered.',
    })
    expect(runs(h)).toEqual(['completed done', 'cancelled user', 'cancelled user'])
    expect(shownPrompt(h.scripted.requests.at(-1)!.options.prompt).at(-1)).toContain('status="cancelled"')
  })

  test('is ended as a whole without waking an agent that had ended', async () => {
    const main = [{ toolCalls: [task('one', background)] }, { text: 'Later.' }, { text: 'Woken.' }]
    const h = harness({ store: await open(), tools: [work], script: { ...twoChildren, main } })
    const run = await started(h)
    expect(runs(h)).toEqual(['completed done', 'running'])
    const answer = await cancel(h, run, run.conversationId)
    expect(answer).toMatchObject({ outcome: 'cancelled', status: 'completed', runs: 1 })
    expect(await h.clock.until(run.result)).toMatchObject({ text: 'Later.' })
    expect(await cancel(h, run, run.conversationId)).toMatchObject({ outcome: 'already_finished' })
  })

  test('says which processes could not be ended', async () => {
    const h = harness({
      store: await open(),
      tools: [work],
      script: twoChildren,
      endProcesses: async () => [77],
    })
    const run = await started(h)
    expect(await cancel(h, run, runOf(h, 1))).toMatchObject({ outcome: 'cancelled', left: [77] })
  })

  test('reads a steer at its next turn, and none when it has stopped', async () => {
    const main = [{ toolCalls: [use('once')] }, { text: 'I heard.' }]
    let goOn = () => {}
    const once = tool('once', { execute: () => new Promise((done) => (goOn = () => done('went on'))) })
    const h = harness({ store: await open(), tools: [once], script: { main } })
    const run = await started(h)
    const answer = await steer(h, run, run.conversationId, 'be quick')
    expect(answer).toMatchObject({ runId: run.runId, status: 'running' })
    goOn()
    await h.clock.until(run.result)
    expect(shownPrompt(h.scripted.requests[1]!.options.prompt).at(-1)).toBe('user text(be quick)')
    await expect(steer(h, run, run.runId, 'again')).rejects.toMatchObject({
      code: 'conflict',
      hint: expect.stringContaining(`offshoot continue ${run.branchId}`),
    })
    expect(waitingItems(h)).toEqual([])
  })

  test('is interrupted with what it waits for, and not with what is in the background', async () => {
    const main = [{ toolCalls: [task('one', background), task('two'), use('work')] }]
    const h = harness({ store: await open(), tools: [work], script: { ...twoChildren, main } })
    const run = await started(h)
    expect(await interrupt(h, run, run.runId)).toMatchObject({ status: 'paused', reason: 'user' })
    expect(runs(h)).toEqual(['paused user', 'running', 'paused parent'])
    const calls = h.store.find('tool_calls', { where: { runId: run.runId }, orderBy: 'id' })
    expect(calls.map((call) => `${call.tool} ${call.status}`)).toEqual([
      'task completed',
      'task running',
      'work failed',
    ])
    await expect(interrupt(h, run, run.runId)).rejects.toMatchObject({ code: 'conflict' })
    await cancel(h, run, run.conversationId)
    expect(runs(h)).toEqual(['cancelled user', 'cancelled user', 'cancelled parent'])
    await h.clock.until(run.result)
  })

  test('waits for an answer for a bounded time', async () => {
    const script = { main: [{ toolCalls: [use('bash')] }, { text: 'Not done.' }] }
    const h = harness({
      store: await open(),
      tools: [bash],
      script,
      config: { limits: { approvalMs: 5_000 } },
    })
    const leave = h.runtime.approvals.attend()
    const run = await started(h)
    expect(runs(h)).toEqual(['waiting approval'])
    expect(await h.clock.until(run.result)).toMatchObject({ text: 'Not done.' })
    expect(h.store.find('approvals', {})).toMatchObject([
      { answer: 'deny', answeredBy: 'time limit', note: 'nobody answered within 5 s (expired)' },
    ])
    leave()
  })

  test('takes one answer to a question, from wherever it comes', async () => {
    const script = { main: [{ toolCalls: [use('bash')] }, { text: 'Done.' }] }
    const h = harness({ store: await open(), tools: [bash], script })
    h.runtime.approvals.attend()
    const run = await started(h)
    const [approval] = h.store.find('approvals', {})
    const args = { answer: 'once', by: 'somebody' } as const
    const command = { verb: 'approve', target: approval!.id, args } as const
    expect(await h.perform(run.conversationId, command)).toMatchObject({ answer: 'once', waits: false })
    await expect(h.perform(run.conversationId, command)).rejects.toThrow(
      'already answered: once, by somebody',
    )
    expect(await h.clock.until(run.result)).toMatchObject({ text: 'Done.' })
  })

  test('has an inbox whose items can be changed until they are read', async () => {
    const h = harness({
      store: await open(),
      tools: [work],
      script: { main: [{ toolCalls: [use('work')] }] },
    })
    const run = await started(h)
    const { conversationId: id, branchId: target } = run
    const [first, second] = [await steer(h, run, target, 'one'), await steer(h, run, target, 'two')]
    await h.perform(id, { verb: 'inbox.edit', target, args: { item: first.itemId, text: 'better' } })
    await h.perform(id, { verb: 'inbox.promote', target, args: { item: first.itemId } })
    await h.perform(id, { verb: 'inbox.withdraw', target, args: { item: second.itemId } })
    expect(waitingItems(h).map(({ text, withdrawnAt }) => [text, withdrawnAt === null])).toEqual([
      ['better', true],
      ['two', false],
    ])
    const again = h.perform(id, { verb: 'inbox.edit', target, args: { item: second.itemId, text: 'x' } })
    await expect(again).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('was withdrawn'),
    })
    expect(await h.perform(id, { verb: 'inbox.clear', target, args: null })).toEqual({
      withdrawn: 1,
      left: 0,
    })
    h.flush()
    const events = h.told.flatMap((event) =>
      event.type.startsWith('inbox.') && 'count' in event ? [`${event.type} ${event.count}`] : [],
    )
    expect(events).toEqual([
      'inbox.added 1',
      'inbox.added 2',
      'inbox.updated 2',
      'inbox.updated 2',
      'inbox.withdrawn 1',
      'inbox.withdrawn 0',
      'inbox.empty 0',
    ])
    await cancel(h, run, run.runId)
  })
})

/** A conversation whose process is gone: it is still there in memory, but time does not go on for it. */
async function leftBehind(script: NonNullable<Parameters<typeof harness>[0]>['script'], attended = false) {
  const dead = harness({ tools: [work, bash], script: script! })
  if (attended) dead.runtime.approvals.attend()
  const run = await started(dead)
  const ended: string[] = []
  const h = harness({
    store: dead.store,
    tools: [work, bash],
    script: {},
    endProcesses: async (ids) => {
      ended.push(...ids)
      return []
    },
  })
  return { h, run, ended }
}

describe('what a dead process left', () => {
  test('is cancelled in the rows, and its processes are ended', async () => {
    const { h, run, ended } = await leftBehind(twoChildren)
    expect(await cancel(h, run, runOf(h, 1))).toMatchObject({ outcome: 'cancelled', runs: 1 })
    expect(runs(h)).toEqual(['waiting children', 'cancelled user', 'running'])
    expect(ended).toEqual([runOf(h, 1)])
    expect(await cancel(h, run, run.conversationId)).toMatchObject({ outcome: 'cancelled', runs: 2 })
    expect(runs(h)).toEqual(['cancelled user', 'cancelled user', 'cancelled parent'])
    expect(h.scripted.requests).toEqual([])
  })

  test('is paused by an interrupt', async () => {
    const main = [{ toolCalls: [task('one', background), task('two')] }]
    const { h, run } = await leftBehind({ ...twoChildren, main })
    expect(await interrupt(h, run, run.branchId)).toMatchObject({ status: 'paused', reason: 'user' })
    expect(runs(h)).toEqual(['paused user', 'running', 'paused parent'])
  })

  test('keeps an answer and a message for whoever goes on with it', async () => {
    const { h, run } = await leftBehind({ main: [{ toolCalls: [use('bash')] }] }, true)
    const [approval] = h.store.find('approvals', {})
    const args = { answer: 'deny', by: 'me', note: 'no' } as const
    const command = { verb: 'approve', target: approval!.id, args } as const
    expect(await h.perform(run.conversationId, command)).toMatchObject({ answer: 'deny', waits: true })
    await expect(h.perform(run.conversationId, command)).rejects.toThrow('already answered: deny, by me')
    expect(runs(h)).toEqual(['waiting approval'])
    await steer(h, run, branchOf(h, 0), 'hello')
    expect(waitingItems(h)).toMatchObject([{ text: 'hello', mode: 'steer' }])
    expect(h.scripted.requests).toEqual([])
  })
})

test('what is asked for in other words is refused', async () => {
  const h = harness({ script: { main: [{ text: 'Hi.' }] } })
  const { conversationId: id } = await h.run('go')
  for (const command of [
    { verb: 'explode', target: id, args: null },
    { verb: 'steer', target: id, args: { text: ' ' } },
    { verb: 'approve', target: id, args: { answer: 'maybe', by: 'me' } },
  ])
    await expect(h.perform(id, command as never)).rejects.toMatchObject({ code: 'usage' })
  for (const target of ['nonsense', 'run_00000000000000000000000000', 'apr_00000000000000000000000000'])
    await expect(h.perform(id, { verb: 'cancel', target, args: null })).rejects.toMatchObject({
      code: 'not_found',
    })
})
