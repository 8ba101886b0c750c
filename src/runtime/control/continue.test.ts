import { describe, expect, test } from 'vitest'
import { conversationProblems } from '../../../test/support/conversation-problems.ts'
import { agent, harness, refusals, shownPrompt, stores, tool } from '../../../test/support/runtime-harness.ts'
import type { Seen } from '../../../test/support/actor.ts'
import { call, expectOrder, foreground, slow, spawn, stage, use } from '../../../test/support/stage.ts'
import type { StartedRun } from './acquire-and-drive.ts'

const read = tool('read')

function subagent(h: Pick<ReturnType<typeof stage>, 'store'>, name: string) {
  return h.store.find('runs', { where: { agent: name }, orderBy: 'id' }).at(-1)!
}

async function ended(h: ReturnType<typeof stage>, started: StartedRun) {
  return await h.clock.until(started.result)
}

test('a conversation that cannot be read is given back: another process may have it at once', async () => {
  const h = stage({ main: [{ text: 'one' }] }, { hasLeases: true })
  const { runId, branchId, conversationId } = await h.run('go')
  await h.store.tx((tx) => tx.update('runs', runId, { status: 'asleep' as never }), { durable: false })
  await expect(h.continue(branchId)).rejects.toMatchObject({ code: 'store_corrupt' })
  expect(h.store.get('leases', conversationId)).toMatchObject({ renewedAt: 0 })
  const pause = { verb: 'pause', target: branchId, args: null } as const
  await expect(h.perform(conversationId, pause)).rejects.toMatchObject({ code: 'store_corrupt' })
  expect(h.store.get('leases', conversationId)).toMatchObject({ renewedAt: 0 })
})

test('a run whose status this program does not know is damage, and is left as it is', async () => {
  const h = stage({ main: [{ text: 'one' }] })
  const { runId, branchId } = await h.run('go')
  await h.store.tx((tx) => tx.update('runs', runId, { status: 'asleep' as never }), { durable: false })
  await expect(h.continue(branchId)).rejects.toMatchObject({ code: 'store_corrupt' })
  expect(h.store.get('runs', runId)).toMatchObject({ status: 'asleep' })
})

describe.each(stores)('what has stopped goes on in the %s store:', (_, open) => {
  test('a run at its limit, with as many turns again, shown with those that are used', async () => {
    const store = await open()
    const h = stage({ main: [{ calls: [use('read')] }, { text: 'so far' }, { text: 'the rest' }] }, { store })
    const first = await h.run('go', { maxTurns: 1 })
    expect(first).toMatchObject({ status: 'paused', endReason: 'max_turns', text: 'so far' })
    const { started, outcome } = await h.continue(first.branchId, { maxTurns: 3 })
    expect(outcome).toBe('continued')
    expect(await ended(h, started!)).toMatchObject({
      runId: first.runId,
      status: 'completed',
      text: 'the rest',
    })
    expect(store.get('runs', first.runId)).toMatchObject({ turns: 2, limits: { maxTurns: 4 }, stopNo: 2 })
    expect(h.actor.seen.at(-1)!.last).toBe('Continue your previous work.')
    expectOrder(h, first)
    const queued = h.told.filter(({ type }) => type === 'run.queued')
    expect(queued).toMatchObject([{ runId: first.runId, from: 'paused' }])
    expect(queued[0]).not.toHaveProperty('position')
    await store.close()
  })

  test('what a continue adds is for that run: the next one, woken by a report, has its own', async () => {
    const store = await open()
    const main = [{ calls: [spawn('a')] }, { text: 'first' }, { text: 'second' }, { text: 'third' }]
    const h = stage({ main, a: [slow('late', 60_000)] }, { store })
    const first = await h.start('go')
    await h.clock.advance(1_000)
    const { started } = await h.continue(first.branchId, { text: 'more' })
    await ended(h, started!)
    const turns = (branchId: typeof first.branchId) =>
      store.find('runs', { where: { branchId }, orderBy: 'id' }).map(({ limits }) => limits.maxTurns)
    const own = h.store.get('runs', first.runId)!.limits.maxTurns
    expect(turns(first.branchId)).toEqual([own, own, own])
    await store.close()
  })

  test('and so has a run on a fork of it', async () => {
    const store = await open()
    const h = stage({ main: [{ text: 'first' }, { text: 'second' }, { text: 'third' }] }, { store })
    const first = await h.run('go')
    const { maxTurns } = store.get('runs', first.runId)!.limits
    const { started } = await h.continue(first.branchId, { text: 'more' })
    await ended(h, started!)
    expect(store.get('runs', started!.runId)!.limits.maxTurns).toBe(maxTurns)
    const said = store.find('messages', { where: { branchId: first.branchId, role: 'assistant' } })[0]!
    const fork = await h.fork(said.id, 'and so?')
    await ended(h, fork)
    expect(store.get('runs', fork.runId)!.limits.maxTurns).toBe(maxTurns)
    await store.close()
  })

  test('a subagent that has ended, in a new run whose report comes to the parent by itself', async () => {
    const store = await open()
    const h = stage(
      {
        main: [{ calls: [foreground('a')] }, { text: 'first' }, { text: 'I have read more' }],
        a: [{ text: 'short' }, { text: 'longer' }],
      },
      { store },
    )
    const first = await h.run('go')
    const { branchId, id, limits } = subagent(h, 'a')
    const { started } = await h.continue(branchId, { text: 'say more' })
    await ended(h, started!)
    expect(subagent(h, 'a')).toMatchObject({
      branchId,
      agent: 'a',
      turns: 1,
      limits: { maxTurns: limits.maxTurns },
      background: true,
      parentRunId: first.runId,
    })
    expect(subagent(h, 'a').id).not.toBe(id)
    expect(h.actor.of('a').at(-1)!.last).toBe('say more')
    expect(h.actor.of('main').at(-1)!.last).toMatch(/^<subagent_report[^]*longer/)
    expectOrder(h, first)
    await store.close()
  })

  test('three runs of one turn each are three turns: a run counts its own', async () => {
    const store = await open()
    const h = stage({ main: [{ text: 'one' }, { text: 'two' }, { text: 'three' }] }, { store })
    const first = await h.run('go')
    for (const text of ['more', 'and more']) {
      const { started } = await h.continue(first.branchId, { text })
      expect(await ended(h, started!)).toMatchObject({ turns: 1 })
    }
    const runs = store.find('runs', { where: { branchId: first.branchId }, orderBy: 'id' })
    expect(runs.map(({ turns, limits }) => `${turns}/${limits.maxTurns}`)).toEqual(Array(3).fill('1/50'))
    await store.close()
  })

  test('a tree that was paused waits again for the same subagents, and the text is read at the end of the turn', async () => {
    const store = await open()
    const h = stage(
      {
        main: [
          { calls: [foreground('a'), use('read'), spawn('b')] },
          { text: 'both are done' },
          { text: 'and b too' },
        ],
        a: [slow('a is done'), { text: 'a is done now' }],
        b: [slow('b is done'), slow('b is done now')],
      },
      { store, tools: [read] },
    )
    const first = await h.start('go')
    await h.clock.settle()
    first.stop('pause')
    const paused = await ended(h, first)
    expect(paused).toMatchObject({ status: 'paused', reason: 'user' })
    expect(subagent(h, 'b')).toMatchObject({ status: 'paused', reason: 'parent' })
    const started = await h.start('hurry up', { conversationId: paused.conversationId })
    expect(await ended(h, started)).toMatchObject({ runId: paused.runId, text: 'and b too' })
    const runs = store.find('runs', {}).map(({ agent, status, stopNo }) => [agent, status, stopNo])
    expect(runs).toEqual([
      ['main', 'completed', 2],
      ['a', 'completed', 2],
      ['b', 'completed', 2],
      ['main', 'completed', 1],
    ])
    expect(h.actor.of('main')[1]!.last).toBe('hurry up')
    expect(h.actor.of('main').length).toBe(3)
    expectOrder(h, paused)
    await store.close()
  })
})

test('what an idle main agent had in the background goes on with it', async () => {
  const h = stage({
    main: [{ calls: [spawn('a')] }, { text: 'later' }, { text: 'again' }, { text: 'read it' }],
    a: [slow('never'), { text: 'late news' }],
  })
  const first = await h.start('go')
  await h.clock.advance(1_000)
  expect(h.store.get('runs', first.runId)).toMatchObject({ status: 'completed' })
  first.stop('pause')
  const { conversationId } = await ended(h, first)
  expect(subagent(h, 'a')).toMatchObject({ status: 'paused', reason: 'parent' })
  const { started } = await h.continue(conversationId)
  expect(await ended(h, started!)).toMatchObject({ status: 'completed', text: 'read it' })
  expect(subagent(h, 'a')).toMatchObject({ status: 'completed', stopNo: 2 })
  expectOrder(h, { conversationId })
})

test('a run that has not stopped reads the text at its next turn instead', async () => {
  const h = stage({ main: [{ calls: [use('read')], delayMs: 10 }, { text: 'done' }] })
  const first = await h.start('go')
  await h.clock.settle()
  const { outcome, started } = await h.continue(first.conversationId, { text: 'look closer' })
  expect(outcome).toBe('steered')
  expect(await ended(h, started!)).toMatchObject({ runId: first.runId, status: 'completed' })
  expect(h.actor.seen.at(-1)!.last).toBe('look closer')
})

test('a subagent alone goes on while its parent stays paused, which has the answer when it is continued', async () => {
  const h = stage({
    main: [{ calls: [foreground('a')] }, { text: 'thanks' }],
    a: [slow('never'), { text: 'a is done' }],
  })
  const first = await h.start('go')
  await h.clock.settle()
  first.stop('pause')
  const paused = await ended(h, first)
  const { started } = await h.continue(subagent(h, 'a').branchId)
  expect(await ended(h, started!)).toMatchObject({ status: 'completed', text: 'a is done' })
  expect(h.store.get('runs', paused.runId)).toMatchObject({ status: 'paused', reason: 'user' })
  expect(conversationProblems(h.store, paused.conversationId)).toEqual([])
  const again = await h.continue(paused.conversationId)
  expect(await ended(h, again.started!)).toMatchObject({ status: 'completed', text: 'thanks' })
  expect(h.actor.of('main')).toHaveLength(2)
  expectOrder(h, paused)
})

test('a parent goes on waiting while a person has paused its subagent, and has the answer in the end', async () => {
  const h = stage({
    main: [{ calls: [foreground('a'), foreground('b')] }, { text: 'thanks' }],
    a: [slow('never'), { text: 'a is done' }],
    b: [slow('b is done', 10)],
  })
  const first = await h.start('go')
  await h.clock.settle()
  const { branchId } = subagent(h, 'a')
  await h.perform(first.conversationId, { verb: 'interrupt', target: branchId, args: null })
  await h.clock.advance(1_000)
  expect(h.store.get('runs', first.runId)).toMatchObject({ status: 'waiting', reason: 'children' })
  const command = { verb: 'continue', target: branchId, args: { text: 'go on' } } as const
  expect(await h.perform(first.conversationId, command)).toMatchObject({ outcome: 'continued', branchId })
  expect(await ended(h, first)).toMatchObject({ status: 'completed', text: 'thanks' })
  expectOrder(h, await ended(h, first))
})

test('requests after a continue are ones that every provider accepts', async () => {
  const h = harness({
    tools: [read],
    script: {
      main: [
        {
          toolCalls: [
            { tool: 'task', input: { prompt: 'a', subagent_type: 'explore' } },
            { tool: 'read', input: {} },
          ],
        },
        { text: 'done' },
        { text: 'more' },
      ],
      explore: [{ delayMs: 1_000, text: 'never' }, { text: 'found' }],
    },
  })
  const first = await h.start('go')
  await h.clock.settle()
  first.stop('pause')
  const paused = await h.clock.until(first.result)
  for (const text of ['hurry', 'and now?']) {
    const { started } = await h.continue(paused.branchId, { text })
    expect(await h.clock.until(started!.result)).toMatchObject({ status: 'completed' })
  }
  const prompts = h.scripted.requests.map(({ options }) => options.prompt)
  expect(prompts.flatMap(refusals)).toEqual([])
  const last = shownPrompt(prompts.at(-1)!)
  expect(last.map((line) => line.slice(0, 31))).toEqual([
    expect.stringMatching(/^system/),
    'user text(go)',
    'assistant call(task) call(read)',
    expect.stringMatching(/^tool result\(task: <subagent_r/),
    'user text(hurry)',
    'assistant text(done)',
    'user text(and now?)',
  ])
})

test('an agent that is not defined any more fails with a clear error', async () => {
  const h = stage({ main: [{ calls: [foreground('a')] }, { text: 'done' }], a: [slow('never')] })
  const first = await h.start('go')
  await h.clock.settle()
  first.stop('pause')
  const paused = await ended(h, first)
  const later = harness({ store: h.store, clock: h.clock, model: h.actor.model, agents: [agent('main')] })
  const { started } = await later.continue(paused.conversationId)
  expect(await later.clock.until(started!.result)).toMatchObject({ status: 'completed', text: 'done' })
  expect(subagent(h, 'a')).toMatchObject({
    status: 'failed',
    error: { message: 'the agent "a" of this branch is not defined here' },
  })
})

describe('an agent goes on with a subagent of its own', () => {
  const again = (more = {}) => call('task', 0, { prompt: 'and the tests?', ...more })

  test('that has reported, and waits for the new report', async () => {
    const h = stage({
      main: [{ calls: [foreground('a')] }, again({ max_turns: 3 }), { text: 'thanks' }],
      a: [{ text: 'the code' }, { text: 'the tests' }],
    })
    const result = await h.run('go')
    expect(result).toMatchObject({ status: 'completed', text: 'thanks' })
    expect(h.actor.of('main').at(-1)!.last).toMatch(/figures="1\/3 turns[^]*the tests/)
    expect(h.actor.of('a').at(-1)!.last).toBe('and the tests?')
    const runs = h.store.find('runs', { where: { agent: 'a' }, orderBy: 'id' })
    expect(new Set(runs.map(({ branchId }) => branchId)).size).toBe(1)
    expect(runs.map(({ background, parentRunId }) => [background, parentRunId])).toEqual([
      [false, result.runId],
      [false, result.runId],
    ])
    expectOrder(h, result)
  })

  test('that is at its limit: the same run, with more turns', async () => {
    const h = stage({
      main: [{ calls: [foreground('a', { max_turns: 1 })] }, again(), { text: 'thanks' }],
      a: [{ calls: [use('read')] }, { text: 'half' }, { text: 'whole' }],
    })
    const result = await h.run('go')
    expect(result.subagents).toMatchObject([{ status: 'completed', turns: 2, limits: { maxTurns: 11 } }])
    expect(h.actor.of('main').map(({ last }) => /status="([^"]*)"/.exec(last)?.[1])).toEqual([
      undefined,
      'paused (limit)',
      'completed',
    ])
    expectOrder(h, result)
  })

  test('in the background, under a name of another system, without a prompt', async () => {
    const h = stage({
      main: [
        { calls: [spawn('a')] },
        { text: 'later' },
        inBackground,
        { text: 'ended' },
        { text: 'read it' },
      ],
      a: [{ text: 'once' }, { text: 'twice' }],
    })
    const result = await h.run('go')
    expect(result.text).toBe('read it')
    expect(h.actor.of('main')[3]!.last).toMatch(/^Started in the background/)
    expect(h.actor.of('main').at(-1)!.last).toMatch(/twice/)
    expect(h.actor.of('a').at(-1)!.last).toBe('Continue your previous work.')
    expectOrder(h, result)
  })

  test('that has not stopped: it reads the prompt at its next turn', async () => {
    const h = stage({
      main: [{ calls: [spawn('a')] }, again(), { text: 'later' }, { text: 'read it' }],
      a: [{ calls: [use('read')], delayMs: 10 }, { text: 'with the tests' }],
    })
    const result = await h.run('go')
    expect(h.actor.of('main')[2]!.last).toMatch(/^It has not stopped: it reads your prompt at its next turn/)
    expect(h.actor.of('a').at(-1)!.last).toBe('and the tests?')
    expect(result.subagents).toHaveLength(1)
    expectOrder(h, result)
  })

  test.each([
    [{ task_id: 'brn_01K9Z300000000000000000000' }, 'not_found'],
    [{ max_turns: 51 }, 'limit'],
    [{ history: 'fork' }, 'invalid_input'],
    [{ allowed_tools: ['read'] }, 'invalid_input'],
    [{ resume: 'brn_01K9Z300000000000000000000' }, 'invalid_input'],
  ])('and what cannot be is refused: %j', async (more, code) => {
    const h = stage({
      main: [{ calls: [foreground('a')] }, again(more), { text: 'well' }],
      a: [{ text: 'ok' }],
    })
    const result = await h.run('go')
    const last = h.store.find('tool_calls', { where: { tool: 'task' }, orderBy: 'id' }).at(-1)!
    expect(last).toMatchObject({ status: 'failed', error: { code } })
    expect(result.subagents).toHaveLength(1)
    expectOrder(h, result)
  })
})

const inBackground = ({ ids }: Seen) => ({ calls: [['Agent', { resume: ids[0], async: true }] as const] })

test('a run that is to pause does so though its background subagent still waits for the slot', async () => {
  const limits = { maxConcurrent: 1, maxDepth: 2 }
  const main = [{ calls: [spawn('general')] }, { text: 'end' }, { text: 'later' }]
  const general = [{ calls: [spawn('a')] }, slow('general is done', 5_000), { text: 'that was a' }]
  const h = stage({ main, general, a: [{ text: 'report of a' }] }, { config: { limits } })
  const started = await h.start('go')
  await h.clock.advance(1_000)
  const target = h.store.find('runs', { where: { agent: 'general' } })[0]!.id
  await h.clock.until(h.perform(started.conversationId, { verb: 'pause', target, args: null }))
  await h.clock.advance(10_000)
  const state = (agent: string) => {
    const { status, reason } = h.store.find('runs', { where: { agent } })[0]!
    return [status, reason]
  }
  expect(state('general')).toEqual(['paused', 'user'])
  expect(state('a')).toEqual(['completed', null])
  const { started: again } = await h.continue(target)
  await h.clock.until(again!.result)
  expect(state('general')).toEqual(['completed', null])
  expectOrder(h, started)
})
