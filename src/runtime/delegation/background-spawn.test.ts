import { describe, expect, test } from 'vitest'
import { actor, type Part } from '../../../test/support/actor.ts'
import { conversationProblems, expectEvents } from '../../../test/support/conversation-problems.ts'
import { expectOrder, foreground, spawn, stage, use, type Staged } from '../../../test/support/stage.ts'
import { agent, handClock, harness, stores, tool } from '../../../test/support/runtime-harness.ts'
import type { BranchId, ConversationId } from '../../core/ids.ts'
import type { Store } from '../../store/port.ts'
import { createBus } from '../log/bus.ts'
import { randomIds } from '../log/new-id.ts'
import { addToInbox } from '../run/inbox.ts'
import { createRecorder } from '../log/recorder.ts'

/** Puts what a person says into the inbox of a branch. */
async function say(h: Staged, conversationId: ConversationId, branchId: BranchId, text: string) {
  const newId = randomIds(h.clock)
  const place = { at: h.clock.now(), conversationId, branchId, runId: null, parentRunId: null, depth: 0 }
  const said = { kind: 'user', mode: 'follow_up', text, author: 'person' } as const
  const item = { conversationId, branchId, ...said }
  const recorder = createRecorder({ store: h.store, bus: createBus(h.clock), clock: h.clock })
  await recorder.record(conversationId, (change) => addToInbox(change, newId, place, item))
}

/** What each transaction did: `insert TABLE`, `end AGENT`, `deliver`. Closures of one commit stand apart. */
function watched(store: Store) {
  const transactions: string[][] = []
  const tx = store.tx.bind(store)
  store.tx = (write, options) =>
    tx((inner) => {
      const did: string[] = []
      transactions.push(did)
      return write({
        get: inner.get.bind(inner),
        find: inner.find.bind(inner),
        count: inner.count.bind(inner),
        delete: inner.delete.bind(inner),
        insert: (table, row) => (did.push(`insert ${table}`), inner.insert(table, row)),
        update: (table, key, change) => {
          const { endedAt, deliveredAt } = change as { endedAt?: number | null; deliveredAt?: number }
          if (table === 'runs' && endedAt) did.push(`end ${inner.get('runs', key)!.agent}`)
          if (deliveredAt) did.push('deliver')
          inner.update(table, key, change)
        },
      })
    }, options)
  return transactions
}

describe.each(stores)('in the background (%s store)', (_, open) => {
  test('the id comes at once, the parent goes on, and the report wakes it when it is idle', async () => {
    const store = await open()
    const transactions = watched(store)
    const parts: Record<string, Part[]> = {
      main: [{ calls: [spawn('a')] }, { text: 'meanwhile' }, ({ last }) => ({ text: `heard ${last}` })],
      a: [{ text: 'report of a', delayMs: 5_000 }],
    }
    const h = stage(parts, { store })
    const started = await h.start('go')
    await h.clock.advance(1_000)
    const [main, child] = store.find('runs', { orderBy: 'id' })
    expect([main!.status, child!.status, child!.background]).toEqual(['completed', 'running', true])
    const { last, ids } = h.actor.of('main')[1]!
    expect(ids).toEqual([child!.branchId])
    expect(last).toContain(`task_id ${child!.branchId}, status running.`)
    expect(last).toContain('Do not wait, poll or sleep')
    const birth = transactions.find(
      (did) => did.filter((each) => each === 'insert runs').length === 1 && did.includes('insert tool_calls'),
    )
    expect(birth!.slice(0, 3)).toEqual(['insert tool_calls', 'insert branches', 'insert runs'])

    const result = await h.clock.until(started.result)
    expect(result).toMatchObject({ status: 'completed', turns: 3, toolCalls: 1 })
    expect(result.text).toContain(
      `heard <subagent_report agent="a" task_id="${child!.branchId}" status="completed"`,
    )
    expect(result.text).toContain('report of a')
    const end = transactions.find((did) => did.includes('end a'))!
    expect(end.filter((each) => each !== 'insert events')).toEqual(['end a', 'insert inbox'])
    const read = transactions.find((did) => did.includes('deliver'))!
    expect(read.filter((each) => each !== 'insert events')).toEqual([
      'insert runs',
      'insert messages',
      'insert parts',
      'deliver',
    ])
    const [item, ...others] = store.find('inbox', {})
    expect(others).toEqual([])
    expect(item).toMatchObject({ kind: 'result', fromRunId: child!.id, stopNo: 1 })
    h.flush()
    const events = h.told.filter(({ type }) => /inbox|report/.test(type)).map(({ type }) => type)
    expect(events).toEqual(['inbox.added', 'inbox.delivered', 'report.delivered', 'inbox.empty'])
    expectOrder(h, result)
    await store.close()
  })

  test('twenty that end at once are read in one turn, none twice, and counted once', async () => {
    const store = await open()
    const names = Array.from({ length: 20 }, (_, at) => `c${at}`)
    const parts = Object.fromEntries(
      names.map((name) => [name, [{ calls: [use('read')] }, { text: `report ${name}.`, delayMs: 500 }]]),
    )
    const main = [{ calls: names.map((name) => spawn(name)) }]
    const config = { limits: { maxConcurrent: 20, globalConcurrent: 20, maxTokens: 100_000_000 } }
    const h = stage({ main, ...parts }, { store, config })
    const result = await h.run('go')
    expect(h.actor.of('main')).toHaveLength(3)
    const { last } = h.actor.of('main')[2]!
    for (const name of names) expect(last.split(`report ${name}.`), name).toHaveLength(2)
    const ends = new Set(result.subagents.map(({ endedAt }) => endedAt))
    expect(ends.size).toBe(1)
    h.flush()
    const delivered = h.told.filter(({ type }) => type === 'report.delivered')
    expect(delivered).toHaveLength(20)
    const rows = store.find('runs', {})
    expect(rows).toHaveLength(22)
    expect(result.subagents).toHaveLength(20)
    expect(result.toolCalls).toBe(40)
    expect(result.usage.input).toBe(rows.reduce((sum, { usage }) => sum + usage.input, 0))
    expect(result.usage.input).toBe(43 * 10)
    expectOrder(h, result)
    await store.close()
  })

  test('a user message that came meanwhile is read first, alone', async () => {
    const store = await open()
    const main = [{ calls: [spawn('a'), spawn('b')] }, { text: 'meanwhile', delayMs: 3_000 }]
    const h = stage({ main, a: [{ text: 'ra' }], b: [{ text: 'rb' }] }, { store })
    const started = await h.start('go')
    await h.clock.advance(1_000)
    expect(store.count('inbox', { deliveredAt: null })).toBe(2)
    await h.clock.until(say(h, started.conversationId, started.branchId, 'and one more thing'))
    const result = await h.clock.until(started.result)
    const [, , user, results, ...more] = h.actor.of('main')
    expect(user!.last).toBe('and one more thing')
    expect(results!.last).toMatch(/ra[^]*rb/)
    expect(more).toEqual([])
    expect(conversationProblems(store, result.conversationId)).toEqual([])
    expectEvents(store, result.conversationId, [])
    await store.close()
  })

  test('one that failed, used its turns or stalled is reported too', async () => {
    const store = await open()
    const stuck = tool('stuck', { execute: () => new Promise(() => {}) })
    const main = [{ calls: [spawn('fails'), spawn('long', { max_turns: 1 }), spawn('stalls')] }]
    const h = stage(
      {
        main,
        fails: [
          () => {
            throw new Error('no such model')
          },
        ],
        long: [{ text: 'half', calls: [use('read')] }],
        stalls: [{ text: 'begun', calls: [use('stuck')] }],
      },
      { store, tools: [tool('read'), stuck] },
    )
    const result = await h.run('go')
    const heard = h.actor
      .of('main')
      .slice(2)
      .map(({ last }) => last)
      .join('\n')
    expect(heard).toContain('status="failed"')
    expect(heard).toContain('status="paused (limit)"')
    expect(heard).toContain('status="paused (stall)"')
    expect(heard).toContain('begun')
    expect(result.status).toBe('completed')
    expectOrder(h, result)
    await store.close()
  })

  test('a parent that is paused reads nothing until it is continued', async () => {
    const store = await open()
    const h = stage({ main: [{ calls: [spawn('a')] }], a: [{ text: 'r', delayMs: 900 }] }, { store })
    const result = await h.run('go', { maxTurns: 1 })
    expect(result).toMatchObject({ status: 'paused', reason: 'limit' })
    expect(result.subagents).toMatchObject([{ status: 'completed' }])
    expect(store.find('inbox', {})).toMatchObject([{ deliveredAt: null }])
    expectOrder(h, result)
    await store.close()
  })

  test.each(['pause', 'cancel'] as const)(
    '%s of the tree ends what runs below an idle parent, and wakes nobody',
    async (verb) => {
      const store = await open()
      const h = stage({ main: [{ calls: [spawn('a')] }], a: [{ text: 'r', delayMs: 9_000 }] }, { store })
      const started = await h.start('go')
      await h.clock.advance(1_000)
      started.stop(verb)
      const result = await h.clock.until(started.result)
      const stopped =
        verb === 'pause'
          ? { status: 'paused', endReason: 'parent' }
          : { status: 'cancelled', endReason: 'user' }
      expect(result).toMatchObject({ status: 'completed', subagents: [stopped] })
      expect(h.actor.of('main')).toHaveLength(2)
      expectOrder(h, result)
      await store.close()
    },
  )

  test('a subagent waits for its own, reads them and reports once', async () => {
    const store = await open()
    const parts: Record<string, Part[]> = {
      main: [{ calls: [foreground('general')] }],
      general: [{ calls: [spawn('a'), spawn('b')] }, { text: 'so far' }, { text: 'all of it' }],
      a: [
        { calls: [use('read')], delayMs: 200_000 },
        { text: 'ra', delayMs: 200_000 },
      ],
      b: [{ text: 'rb', delayMs: 100 }],
    }
    const h = stage(parts, { store, config: { limits: { maxDepth: 2 } } })
    const result = await h.run('go')
    expect(h.actor.of('general')).toHaveLength(3)
    expect(h.actor.of('general')[2]!.last).toMatch(/rb[^]*ra/)
    expect(h.actor.of('main')[1]!.last).toContain('all of it')
    const lead = result.subagents.find((run) => run.agent === 'general')!
    h.flush()
    const told = h.told.filter((event) => event.runId === lead.id && event.type === 'run.waiting')
    expect(told).toMatchObject([{ reason: 'children', waitingFor: { detail: '2 subagents' } }])
    expect(store.count('inbox', { branchId: result.branchId })).toBe(0)
    expectOrder(h, result)
    await store.close()
  })
})

test('an agent whose definition says so runs in the background, unless the call says otherwise', async () => {
  const agents = [agent('main'), agent('quiet', { background: true })]
  const call = { prompt: 'x', subagent_type: 'quiet' }
  const clock = handClock()
  const main = [{ calls: [['task', call] as const, ['task', { ...call, async: 'false' }] as const] }]
  const cast = actor(clock, { main })
  const h = harness({ clock, model: cast.model, agents })
  const result = await h.run('go')
  expect(result.subagents.map(({ background }) => background)).toEqual([true, false])
})

test('two messages of a person in a row find one driver: no branch has two runs at a time', async () => {
  const h = stage({
    main: [{ calls: [spawn('a')] }, { text: 'first' }, { text: 'second', delayMs: 9_000 }],
    a: [{ text: 'ra', delayMs: 5_000 }],
  })
  const first = await h.start('go')
  await h.clock.advance(1_000)
  const { conversationId } = first
  const second = await h.clock.until(h.start('and?', { conversationId }))
  await h.clock.until(second.result)
  const result = await h.clock.until(first.result)
  expect(h.actor.of('main').map(({ last }) => last)).toMatchObject(
    ['go', /Started/, 'and?', /ra/].map((each) => expect.stringMatching(each)),
  )
  const main = h.store.find('runs', { where: { branchId: first.branchId }, orderBy: 'id' })
  main.slice(1).forEach((run, at) => expect(run.startedAt).toBeGreaterThanOrEqual(main[at]!.endedAt!))
  expectOrder(h, result)
})
