import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { base } from '../../core/fixtures/events.ts'
import type { OffshootEvent } from '../../core/events.ts'
import { createMemoryStore } from '../../store/memory.ts'
import { Follow, PAGE_EVENTS } from './follow.ts'
import { packEvents } from './stored-events.ts'

const { conversationId } = base

const durable = (seq: number) => ({ ...base, type: 'conversation.updated', title: 't', seq }) as OffshootEvent
const live = (seq: number, sub: number) => ({ ...base, type: 'run.progress', seq, sub }) as OffshootEvent
const names = (events: readonly OffshootEvent[]) =>
  events.map(({ seq, sub }) => (sub === undefined ? `${seq}` : `${seq}.${sub}`))
const seqsTo = (last: number) => Array.from({ length: last }, (_, i) => i + 1)

/** A conversation that two processes write: this one tells its events, the other one only stores them. */
class World {
  readonly store = createMemoryStore()
  seq = 0
  #toldSeq = 0
  #sub = 0
  #waiting: OffshootEvent[] = []

  static async create(): Promise<World> {
    const world = new World()
    const row = { id: conversationId, directory: '/w', title: '', mode: null, createdAt: 0, updatedAt: 0 }
    await world.store.tx((tx) => tx.insert('conversations', row), { durable: true })
    return world
  }

  async write(count: number, isTold: boolean): Promise<void> {
    const from = this.seq + 1
    const events = Array.from({ length: count }, (_, i) => durable(from + i))
    const row = { conversationId, seq: from, events: packEvents(events) }
    await this.store.tx((tx) => tx.insert('events', row), { durable: true })
    this.seq += count
    if (!isTold) return
    this.#waiting.push(...events)
    this.#toldSeq = this.seq
    this.#sub = 0
  }

  stream(): void {
    this.#waiting.push(live(this.#toldSeq, ++this.#sub))
  }

  /** What waits on the bus. */
  batch(): OffshootEvent[] {
    return this.#waiting.splice(0)
  }
}

type Step =
  | { readonly do: 'write' | 'write elsewhere'; readonly count: number }
  | { readonly do: 'stream' | 'tell' | 'tell twice' | 'page' | 'fall behind' }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constantFrom('write' as const, 'write elsewhere' as const),
    count: fc.oneof(
      { weight: 5, arbitrary: fc.integer({ min: 1, max: 3 }) },
      { weight: 1, arbitrary: fc.integer({ min: PAGE_EVENTS - 1, max: PAGE_EVENTS * 2 + 1 }) },
    ),
  }),
  fc.record({
    do: fc.constantFrom(
      'stream' as const,
      'stream' as const,
      'tell' as const,
      'tell twice' as const,
      'page' as const,
      'fall behind' as const,
    ),
  }),
)

/** Every durable event once and in order; each live one after the durable one that it belongs to. */
function expectInPlace(out: readonly OffshootEvent[], last: number): void {
  expect(out.filter(({ sub }) => sub === undefined).map(({ seq }) => seq)).toEqual(seqsTo(last))
  let seq = 0
  for (const event of out) {
    if (event.sub !== undefined) expect(event.seq).toBe(seq)
    seq = event.seq
  }
}

async function play(world: World, steps: readonly Step[], reader: Reader): Promise<void> {
  for (const each of steps) {
    if (each.do === 'write') await world.write(each.count, true)
    else if (each.do === 'write elsewhere') await world.write(each.count, false)
    else if (each.do === 'stream') world.stream()
    else if (each.do === 'page') reader.page()
    else if (each.do === 'fall behind') reader.fallBehind()
    else {
      const batch = world.batch()
      reader.take(batch)
      if (each.do === 'tell twice') reader.take(batch.filter(({ sub }) => sub === undefined))
    }
  }
  reader.take(world.batch())
}

interface Reader {
  page(): void
  fallBehind(): void
  take(events: readonly OffshootEvent[]): void
}

describe('any order of writes, pages, batches, gaps and duplicates', () => {
  test('hands out each durable event once and in order, and live events only in their place', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.nat(600), async (steps, before) => {
        const world = await World.create()
        if (before > 0) await world.write(before, false)
        const follow = Follow.after(world.store, conversationId, 0)
        const out: OffshootEvent[] = []
        await play(world, steps, {
          page: () => follow.isBehind && out.push(...follow.page()),
          fallBehind: () => follow.fallBehind(),
          take: (events) => out.push(...events.filter((event) => follow.accept(event))),
        })
        for (const page of follow.pages()) out.push(...page)
        expectInPlace(out, world.seq)
        expect([follow.seq, follow.isBehind]).toEqual([world.seq, false])
      }),
      { numRuns: 150 },
    )
  })

  test('so does a reader that gets the batches of one that never waits', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const world = await World.create()
        await world.write(3, false)
        const first = Follow.fromEnd(world.store, conversationId)
        const second = Follow.after(world.store, conversationId, 0)
        const out: OffshootEvent[] = []
        const hand = (events: readonly OffshootEvent[]) => void out.push(...second.takeNew(events))
        await play(world, steps, {
          page: () => second.isBehind && out.push(...second.page(first.seq)),
          fallBehind: () => second.fallBehind(),
          take(events) {
            const next: OffshootEvent[] = []
            for (const event of events) {
              if (first.accept(event)) next.push(event)
              else if (first.isBehind) break
            }
            hand(next)
            if (first.isBehind) for (const page of first.pages()) hand(page)
          },
        })
        for (const page of first.pages()) hand(page)
        for (const page of second.pages()) out.push(...page)
        expectInPlace(out, world.seq)
      }),
      { numRuns: 150 },
    )
  })
})

describe('a position', () => {
  const stage = async (stored: number) => {
    const world = await World.create()
    if (stored > 0) await world.write(stored, false)
    return world.store
  }

  test('after a seq is behind until a page is not full', async () => {
    const follow = Follow.after(await stage(PAGE_EVENTS + 2), conversationId, 1)
    expect(follow.isBehind).toBe(true)
    expect(follow.page()).toHaveLength(PAGE_EVENTS)
    expect(follow.isBehind).toBe(true)
    expect(names(follow.page())).toEqual([`${PAGE_EVENTS + 2}`])
    expect(follow.isBehind).toBe(false)
  })

  test('at the end takes live events at once, and is not behind', async () => {
    const follow = Follow.fromEnd(await stage(2), conversationId)
    expect([follow.seq, follow.isBehind]).toEqual([2, false])
    expect(follow.accept(live(2, 1))).toBe(true)
    expect(follow.accept(durable(3))).toBe(true)
    expect(follow.accept(live(2, 2))).toBe(false)
    expect(follow.accept(live(3, 1))).toBe(true)
    expect(follow.isBehind).toBe(false)
  })

  test('takes nothing while it is behind, and is behind after a gap', async () => {
    const follow = Follow.fromEnd(await stage(2), conversationId)
    expect(follow.accept(durable(4))).toBe(false)
    expect([follow.seq, follow.isBehind]).toEqual([2, true])
    expect(follow.accept(durable(3))).toBe(false)
    expect(follow.takeNew([durable(3)])).toEqual([])
    expect(follow.page()).toEqual([])
    expect(follow.accept(durable(3))).toBe(true)
  })

  test('is behind when a live event follows a durable one that was not handed out', async () => {
    const follow = Follow.fromEnd(await stage(0), conversationId)
    expect(follow.accept(live(1, 1))).toBe(false)
    expect(follow.isBehind).toBe(true)
  })

  test('reads no page beyond a limit, and is not behind there', async () => {
    const follow = Follow.after(await stage(5), conversationId, 0)
    expect(names(follow.page(3))).toEqual(['1', '2', '3'])
    expect([follow.seq, follow.isBehind]).toEqual([3, false])
  })

  test('hands on a batch as it is when nothing of it was handed out', async () => {
    const follow = Follow.fromEnd(await stage(2), conversationId)
    const batch = [live(2, 1), durable(3), live(3, 1)]
    expect(follow.takeNew(batch)).toBe(batch)
    expect(names(follow.takeNew([durable(3), live(3, 2), durable(4)]))).toEqual(['3.2', '4'])
  })

  test('stays where it is when the store cannot be read', async () => {
    const store = await stage(3)
    const follow = Follow.after(store, conversationId, 0)
    await store.close()
    expect(() => follow.page()).toThrow(/clos/)
    expect([follow.seq, follow.isBehind]).toEqual([0, true])
    follow.stopReading()
    expect(follow.accept(durable(1))).toBe(true)
  })
})
