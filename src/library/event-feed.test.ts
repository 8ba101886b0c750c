import { shapeMask } from '../core/secrets/mask.ts'
import { expect, it } from 'vitest'
import type { OffshootEvent } from '../core/events.ts'
import type { ConversationId } from '../core/ids.ts'
import { createMemoryStore } from '../store/memory.ts'
import type { Approvals } from '../runtime/asking/approvals.ts'
import type { Subscriber } from '../runtime/log/bus.ts'
import { randomIds } from '../runtime/log/new-id.ts'
import { packEvents } from '../runtime/log/stored-events.ts'
import { bounds } from '../core/limits.ts'
import { handClock } from '../testing.ts'
import { EventFeed } from './event-feed.ts'

/** A feed over a bus and a store that the test fills. */
async function stage(options: { readonly owns?: boolean } = {}) {
  const clock = handClock()
  const store = createMemoryStore()
  const id: ConversationId = randomIds(clock)('cnv')
  const at = clock.now()
  const conversation = { id, directory: '/w', title: '', mode: null, createdAt: at, updatedAt: at }
  await store.tx((tx) => tx.insert('conversations', conversation), { durable: true })
  const subscribers = new Set<Subscriber>()
  const surfaces = new Set<object>()
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const closed = new AbortController()
  const attend = () => {
    const surface = {}
    surfaces.add(surface)
    return () => void surfaces.delete(surface)
  }
  const deps = {
    store,
    clock,
    approvals: { attend } as unknown as Approvals,
    ownership: { owns: () => options.owns ?? true } as never,
    secrets: shapeMask,
    closed: closed.signal,
    subscribe: (_: ConversationId, subscriber: Subscriber) => {
      subscribers.add(subscriber)
      return () => void subscribers.delete(subscriber)
    },
  }
  const event = (seq: number, sub?: number) =>
    ({
      type: sub ? 'run.progress' : 'usage.updated',
      at,
      conversationId: id,
      branchId: null,
      runId: null,
      parentRunId: null,
      depth: 0,
      seq,
      ...(sub ? { sub } : {}),
    }) as unknown as OffshootEvent
  return {
    clock,
    subscribers,
    surfaces,
    end,
    closed,
    tell: (...events: OffshootEvent[]) => subscribers.forEach((each) => each(events)),
    write: (from: number, count: number) =>
      store.tx(
        (tx) => {
          const events = Array.from({ length: count }, (_, i) => event(from + i))
          tx.insert('events', { conversationId: id, seq: from, events: packEvents(events) })
        },
        { durable: true },
      ),
    event,
    feed: (more: Partial<ConstructorParameters<typeof EventFeed>[1]> = {}) =>
      new EventFeed(deps, {
        conversationId: id,
        after: 0,
        answers: true,
        wants: () => true,
        ended: () => ended,
        ...more,
      }),
  }
}

const seqs = (events: readonly OffshootEvent[]) =>
  events.map(({ seq, sub }) => (sub ? `${seq}.${sub}` : `${seq}`))

it('holds nothing before the first read, and nothing after the loop was left', async () => {
  const s = await stage()
  await s.write(1, 2)
  const feed = s.feed()
  const held = () => [s.subscribers.size, s.surfaces.size, s.clock.pending()]
  expect(held()).toEqual([0, 0, 0])
  for await (const event of feed) {
    expect(event.seq).toBe(1)
    expect(held()).toEqual([1, 1, 1])
    break
  }
  expect(held()).toEqual([0, 0, 0])
  expect(await feed.next()).toEqual({ done: true, value: undefined })
  expect(held()).toEqual([0, 0, 0])
})

it('lets go at the end of the run, though nobody reads any more', async () => {
  const s = await stage()
  await s.write(1, 2)
  await s.feed().next()
  s.end()
  await s.clock.settle()
  expect([s.subscribers.size, s.surfaces.size, s.clock.pending()]).toEqual([0, 0, 0])
})

it('a feed that is left before it was read opens nothing', async () => {
  const s = await stage()
  const feed = s.feed()
  await feed.return()
  await feed.next()
  expect([s.subscribers.size, s.surfaces.size]).toEqual([0, 0])
})

it.each([
  ['before it is read', 0],
  ['while it has events', 1],
  ['while it waits for one', 2],
])('a signal %s ends it without an error and lets go of everything', async (_, read) => {
  const s = await stage()
  await s.write(1, 2)
  const controller = new AbortController()
  const feed = s.feed({ signal: controller.signal })
  for (let i = 0; i < read; i++) await feed.next()
  const waiting = feed.next()
  if (read < 2) await waiting
  controller.abort(new Error('enough'))
  if (read === 2) expect(await waiting).toEqual({ done: true, value: undefined })
  expect(await Array.fromAsync(feed)).toEqual([])
  expect([s.subscribers.size, s.surfaces.size, s.clock.pending()]).toEqual([0, 0, 0])
})

it('a signal that has aborted before opens nothing', async () => {
  const s = await stage()
  await s.write(1, 2)
  expect(await Array.fromAsync(s.feed({ signal: AbortSignal.abort() }))).toEqual([])
  expect([s.subscribers.size, s.surfaces.size]).toEqual([0, 0])
})

it('replays many pages, then what is told, each stored event once', async () => {
  const s = await stage()
  await s.write(1, 1_200)
  const feed = s.feed({ after: 10 })
  const first = await feed.next()
  s.tell(s.event(1_199), s.event(1_200)) // stored and told at the same time
  await s.write(1_201, 1)
  s.tell(s.event(1_200, 1), s.event(1_201), s.event(1_201, 1))
  s.end()
  const all = [first.value!, ...(await Array.fromAsync(feed))]
  const stored = all.filter(({ sub }) => sub === undefined)
  expect(stored.map(({ seq }) => seq)).toEqual(Array.from({ length: 1_191 }, (_, i) => i + 11))
})

it('a reader that is far behind loses live events and no stored one, and holds little', async () => {
  const s = await stage()
  await s.write(1, 1)
  const feed = s.feed()
  await feed.next()
  for (let seq = 2; seq <= 25_000; seq += 500) {
    await s.write(seq, 500)
    for (let i = seq; i < seq + 500; i++) s.tell(s.event(i), s.event(i, 1))
  }
  s.end()
  const rest = await Array.fromAsync(feed)
  expect(rest.filter(({ sub }) => sub === undefined).map(({ seq }) => seq)).toEqual(
    Array.from({ length: 25_000 }, (_, i) => i + 2),
  )
  expect(rest.filter(({ sub }) => sub !== undefined).length).toBeLessThan(10_000)
})

it('what another process wrote before this one took the conversation is not skipped', async () => {
  const s = await stage()
  await s.write(1, 1)
  const feed = s.feed()
  const seen = [(await feed.next()).value!]
  await s.write(2, 3)
  await s.write(5, 1)
  s.tell(s.event(5))
  s.end()
  expect(seqs([...seen, ...(await Array.fromAsync(feed))])).toEqual(['1', '2', '3', '4', '5'])
})

it('what is told after it was read from the store is not told again', async () => {
  const s = await stage()
  await s.write(1, 3)
  const feed = s.feed()
  const first = (await feed.next()).value!
  s.tell(s.event(2), s.event(3), s.event(2, 1), s.event(3, 1))
  s.end()
  expect(seqs([first, ...(await Array.fromAsync(feed))])).toEqual(['1', '2', '3', '3.1'])
})

it('ends with what was stored and not told any more', async () => {
  const s = await stage()
  await s.write(1, 1)
  const feed = s.feed()
  const first = (await feed.next()).value!
  await s.write(2, 2)
  s.end()
  await s.clock.settle()
  expect(seqs([first, ...(await Array.fromAsync(feed))])).toEqual(['1', '2', '3'])
})

it('throws what ended it, once', async () => {
  const s = await stage()
  const feed = s.feed({ ended: () => Promise.reject(new Error('gone')) })
  await expect(feed.next()).rejects.toThrow('gone')
  expect(await feed.next()).toEqual({ done: true, value: undefined })
})

it('reads what another process writes', async () => {
  const s = await stage({ owns: false })
  await s.write(1, 1)
  const feed = s.feed()
  await feed.next()
  const next = feed.next()
  await s.write(2, 1)
  expect((await s.clock.until(next)).value).toMatchObject({ seq: 2 })
  await feed.return()
})

it('ends with what it has when the store is about to be closed', async () => {
  const s = await stage()
  await s.write(1, 1)
  const feed = s.feed()
  await feed.next()
  s.tell(s.event(2))
  s.closed.abort()
  s.end()
  expect(seqs(await Array.fromAsync(feed))).toEqual(['2'])
})

it('hands out what is told while the store closes, though it was behind and its lease is gone', async () => {
  const options = { owns: true }
  const s = await stage(options)
  await s.write(1, 2)
  const feed = s.feed()
  expect((await feed.next()).value?.seq).toBe(1)
  options.owns = false
  await s.clock.advance(bounds.watchMs) // another process may have written: the feed is behind
  await s.write(3, 1)
  s.closed.abort()
  await s.clock.advance(bounds.watchMs)
  s.tell(s.event(4))
  s.end()
  const rest: OffshootEvent[] = []
  for await (const event of feed) rest.push(event)
  expect(seqs(rest)).toEqual(['2', '3', '4'])
})
