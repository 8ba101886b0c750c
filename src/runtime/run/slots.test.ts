import { describe, expect, test } from 'vitest'
import type { Part } from '../../../test/support/actor.ts'
import { mostRunning } from '../../../test/support/conversation-problems.ts'
import { expectOrder, foreground, spawn, stage, use } from '../../../test/support/stage.ts'
import { tool } from '../../../test/support/runtime-harness.ts'
import type { Store } from '../../store/port.ts'
import { listRuns } from '../views/list-runs.ts'

describe('slots', () => {
  const names = ['a', 'b', 'c', 'd', 'e']
  const slow = Object.fromEntries(names.map((name) => [name, [{ text: `report ${name}`, delayMs: 1_000 }]]))

  test.each([
    ['background', spawn],
    ['foreground', foreground],
  ])('the fifth of five runs waits for one of four slots and shows its position (%s)', async (how, start) => {
    const h = stage({ main: [{ calls: names.map((name) => start(name)) }], ...slow })
    const started = await h.start('go')
    await h.clock.advance(500)
    expect(h.store.find('runs', { orderBy: 'id' }).map(({ agent, status }) => `${agent} ${status}`)).toEqual([
      how === 'background' ? 'main completed' : 'main waiting',
      ...names.map((name) => `${name} ${name === 'e' ? 'queued' : 'running'}`),
    ])
    const queued = h.told.filter(({ type }) => type === 'run.queued')
    expect(queued).toMatchObject([{ agent: 'e', position: 1, from: null }])
    if (how === 'background')
      expect(h.actor.of('main')[1]!.last).toContain('status queued, number 1 in line for a slot.')
    const result = await h.clock.until(started.result)
    expect(result.subagents.map(({ status }) => status)).toEqual(names.map(() => 'completed'))
    expectOrder(h, result)
    expect(mostRunning(h.told)).toBe(4)
  })

  test.each([false, true])(
    'a tree of depth 3 completes with one slot (some in the background: %s)',
    async (mixed) => {
      const deeper = (depth: number) => [
        ['task', { prompt: `d${depth} x` }] as const,
        ['task', { prompt: `d${depth} y`, run_in_background: mixed }] as const,
      ]
      const lead: Part = ({ depth, last }) =>
        /^d[12]/.test(last) ? { calls: deeper(depth + 1), delayMs: 10 } : { text: `at ${depth}`, delayMs: 10 }
      const general = Array.from({ length: 100 }, () => lead)
      const config = { limits: { maxDepth: 3, maxConcurrent: 1 } }
      const h = stage({ main: [{ calls: deeper(1) }], general }, { config })
      const result = await h.run('go')
      expect(result.subagents.map(({ status }) => status)).toEqual(
        Array.from({ length: 14 }, () => 'completed'),
      )
      expectOrder(h, result)
      expect(mostRunning(h.told)).toBe(1)
    },
  )

  test('a background report does not wake a parent that waits for another child', async () => {
    const parts = {
      main: [{ calls: [foreground('general')] }],
      general: [{ calls: [spawn('a'), foreground('b')] }],
      a: [{ text: 'ra', delayMs: 10 }],
      b: [{ text: 'rb', delayMs: 10 }],
    }
    const h = stage(parts, { config: { limits: { maxDepth: 2, maxConcurrent: 1 } } })
    const result = await h.run('go')
    h.flush()
    const steps = h.told
      .filter((event) => event.type.startsWith('run.') && 'agent' in event && event.agent === 'general')
      .map(({ type }) => type)
      .filter((type) => type !== 'run.progress')
    expect(steps).toEqual(['run.started', 'run.waiting', 'run.queued', 'run.resumed', 'run.completed'])
    expectOrder(h, result)
  })

  test('a run that waits for an approval releases its slot and returns at the head of the queue', async () => {
    const bash = tool('bash', { effects: 'execute' })
    const parts = {
      main: [{ calls: [spawn('a'), spawn('b'), spawn('c')] }],
      a: [{ calls: [use('bash')] }],
      b: [{ text: 'rb', delayMs: 1_000 }],
      c: [{ text: 'rc', delayMs: 1_000 }],
    }
    const h = stage(parts, { tools: [bash], config: { limits: { maxConcurrent: 1 } } })
    h.runtime.approvals.attend()
    const started = await h.start('go')
    await h.clock.advance(500)
    const status = () =>
      h.store
        .find('runs', { orderBy: 'id' })
        .slice(1)
        .map((run) => run.status)
    expect(status()).toEqual(['waiting', 'running', 'queued'])
    const { id } = h.store.find('approvals', {})[0]!
    await h.clock.until(h.runtime.approvals.answer(id, { answer: 'once', by: 'ann' }))
    expect(status()).toEqual(['queued', 'running', 'queued'])
    h.flush()
    expect(h.told.findLast(({ type }) => type === 'run.queued')).toMatchObject({
      agent: 'a',
      position: 1,
      from: 'waiting',
    })
    const result = await h.clock.until(started.result)
    const began = h.actor.seen.map((each) => each.agent).filter((name) => name !== 'main')
    expect(began).toEqual(['a', 'b', 'a', 'c'])
    expectOrder(h, result)
    expect(mostRunning(h.told)).toBe(1)
  })

  test('a denied call leaves the slot to a child that the same turn waits for', async () => {
    const rules = ['a', 'b'].map((pattern) => ({ tool: 'task', pattern, action: 'ask' as const }))
    const parts = {
      main: [{ calls: [spawn('general'), spawn('x')] }],
      general: [{ calls: [foreground('a'), foreground('b')] }],
      x: [{ text: 'rx', delayMs: 5_000 }],
      a: [{ text: 'ra' }],
    }
    const layers = [{ name: 'test', rules }]
    const h = stage({ ...parts, b: [] }, { layers, config: { limits: { maxDepth: 2, maxConcurrent: 1 } } })
    h.runtime.approvals.attend()
    const started = await h.start('go')
    await h.clock.advance(100) // general asks twice and has released its slot to x
    const asked = h.store.find('approvals', { orderBy: 'id' })
    expect(asked.map(({ title }) => title)).toEqual(['a: do a', 'b: do b'])
    await h.clock.until(h.runtime.approvals.answer(asked[0]!.id, { answer: 'once', by: 'ann' }))
    await h.clock.until(h.runtime.approvals.answer(asked[1]!.id, { answer: 'deny', by: 'ann' }))
    const result = await h.clock.until(started.result)
    expect(result.subagents.map(({ agent, status }) => `${agent} ${status}`)).toEqual([
      'general completed',
      'x completed',
      'a completed',
    ])
    expectOrder(h, result)
  })

  test('a spawn is refused when the queue is full, or without a queue when no slot is free', async () => {
    for (const maxQueue of [1, 0]) {
      const config = { limits: { maxConcurrent: 1, maxQueue } }
      const h = stage({ main: [{ calls: names.map((name) => spawn(name)) }], ...slow }, { config })
      const result = await h.run('go')
      expect(result.subagents).toHaveLength(1 + maxQueue)
      const refused = h.store.find('tool_calls', { where: { status: 'failed' } })
      expect(refused.map(({ error }) => error!.code)).toEqual(
        names.slice(1 + maxQueue).map(() => 'queue_full'),
      )
      expectOrder(h, result)
    }
  })

  test('a run stopped in the queue never starts and reports that', async () => {
    for (const verb of ['pause', 'cancel'] as const) {
      const config = { limits: { maxConcurrent: 1 } }
      const h = stage({ main: [{ calls: [foreground('a'), foreground('b')] }], ...slow }, { config })
      const started = await h.start('go')
      await h.clock.advance(500)
      started.stop(verb)
      const result = await h.clock.until(started.result)
      expect(h.actor.of('b')).toEqual([])
      expect(result.subagents[1]).toMatchObject({
        status: verb === 'pause' ? 'paused' : 'cancelled',
        startedAt: null,
        reportNote: 'no text: the run was stopped before it started',
      })
      expectOrder(h, result)
    }
  })

  const queuedLines = (store: Store) =>
    listRuns(store).flatMap(({ status, task, statusLine: { state, detail } }) =>
      status === 'queued' ? [`${task}: ${state}${detail === null ? '' : `, ${detail}`}`] : [],
    )
  const FULL = 'Queued, every slot of its process is taken'

  test('of two conversations that wait for the same process slot, only one is next', async () => {
    const main = Array.from({ length: 2 }, () => ({ calls: [foreground('a'), foreground('b')] }))
    const late = [
      { text: 'a', delayMs: 1_000 },
      { text: 'a', delayMs: 1_000 },
    ]
    const h = stage({ main, a: late, b: late }, { config: { limits: { globalConcurrent: 1 } } })
    const all = [await h.start('one'), await h.start('two')]
    await h.clock.advance(500)
    expect(queuedLines(h.store).toSorted()).toEqual([`do a: ${FULL}`, `do b: ${FULL}`, `do b: ${FULL}`])
    const told = h.told.filter(({ type }) => type === 'run.queued')
    expect(told.map((event) => 'line' in event && event.line)).toEqual(['process', 'process', 'process'])
    for (const started of all) expectOrder(h, await h.clock.until(started.result))
  })

  test('two conversations that wait for their own slots each have a next run', async () => {
    const main = Array.from({ length: 2 }, () => ({ calls: [foreground('a'), foreground('b')] }))
    const late = [
      { text: 'a', delayMs: 1_000 },
      { text: 'a', delayMs: 1_000 },
    ]
    const h = stage({ main, a: late, b: late }, { config: { limits: { maxConcurrent: 1 } } })
    const all = [await h.start('one'), await h.start('two')]
    await h.clock.advance(500)
    const next = 'do b: Queued (number 1 of 1)'
    expect(queuedLines(h.store)).toEqual([next, next])
    await h.clock.advance(600) // neither takes the other's slot
    expect(queuedLines(h.store)).toEqual([])
    for (const started of all) expectOrder(h, await h.clock.until(started.result))
  })

  test('a queue reports when another conversation gets its slot', async () => {
    const parts = {
      main: [
        { calls: [spawn('a'), spawn('b')] },
        { delayMs: 1_000, calls: [spawn('c')] },
        { calls: [spawn('d')] },
      ],
      a: [{ text: 'a', delayMs: 3_000 }],
      b: [{ text: 'b', delayMs: 6_000 }],
      c: [{ text: 'c', delayMs: 6_000 }],
      d: [{ text: 'd', delayMs: 60_000 }],
    }
    const config = { limits: { maxConcurrent: 2, globalConcurrent: 2 } }
    const h = stage(parts, { config })
    const one = await h.start('one')
    await h.clock.advance(100)
    const two = await h.start('two')
    await h.clock.advance(1_900)
    expect(queuedLines(h.store).toSorted()).toEqual(['do c: Queued (number 1 of 1)', `do d: ${FULL}`])
    await h.clock.advance(2_000) // a has ended, and d had waited longer than c
    expect(queuedLines(h.store)).toEqual([`do c: ${FULL}`])
    const told = h.told.filter((event) => event.type === 'run.queued' && event.agent === 'c')
    expect(told).toMatchObject([
      { from: null, position: 1 },
      { from: 'queued', position: 1, line: 'process' },
    ])
    for (const started of [one, two]) expectOrder(h, await h.clock.until(started.result))
  })

  test('a spawn that was not stored releases its slot', async () => {
    const refuse = new Error('not stored')
    for (const moment of ['while it is written', 'after it was written']) {
      const main = [{ calls: [spawn('a')] }, { calls: [spawn('b')] }]
      const h = stage({ main, ...slow }, { config: { limits: { globalConcurrent: 1 } } })
      const tx = h.store.tx.bind(h.store)
      let left = 1
      h.store.tx = (write, options) =>
        tx((inner) => {
          const insert: typeof inner.insert = (table, row) => {
            const spawned = table === 'runs' && (row as { depth: number }).depth === 1
            if (spawned && left > 0 && moment.startsWith('while')) throw (left--, refuse)
            inner.insert(table, row)
          }
          const value = write({ ...wrap(inner), insert })
          if (left > 0 && moment.startsWith('after') && inner.count('runs', { depth: 1 }) > 0)
            throw (left--, refuse)
          return value
        }, options)
      const started = await h.start('go')
      await expect(h.clock.until(started.result), moment).rejects.toBe(refuse)
      const again = await h.run('again')
      expect(again.subagents, moment).toMatchObject([{ agent: 'b', status: 'completed' }])
    }
  })
})

function wrap(inner: Parameters<Parameters<Store['tx']>[0]>[0]) {
  const { get, find, count, update } = inner
  return {
    get: get.bind(inner),
    find: find.bind(inner),
    count: count.bind(inner),
    update: update.bind(inner),
    delete: inner.delete.bind(inner),
  }
}
