import { describe, expect, it } from 'vitest'
import { base } from '../../core/fixtures/events.ts'
import type { EventDraft, OffshootEvent } from '../../core/events.ts'
import { createBus } from '../../runtime/log/bus.ts'
import { FirstEvents } from '../../runtime/log/first-events.ts'
import { Follow } from '../../runtime/log/follow.ts'
import { packEvents } from '../../runtime/log/stored-events.ts'
import { createMemoryStore } from '../../store/memory.ts'
import { handClock } from '../../testing/hand-clock.ts'
import { watchedLocally, type Watched } from './watched-run.ts'

const { conversationId } = base

async function world() {
  const store = createMemoryStore()
  const clock = handClock()
  const bus = createBus(clock)
  const row = { id: conversationId, directory: '/w', title: '', mode: null, createdAt: 0, updatedAt: 0 }
  await store.tx((tx) => tx.insert('conversations', row), { durable: true })
  const write = async (seq: number, isTold = true) => {
    const event = { ...base, type: 'conversation.updated', title: 't', seq } as OffshootEvent
    const stored = { conversationId, seq, events: packEvents([event]) }
    await store.tx((tx) => tx.insert('events', stored), { durable: true })
    if (isTold) bus.durable([event])
  }
  const stream = () => bus.live({ ...base, type: 'run.progress' } as unknown as EventDraft)
  const first = new FirstEvents(bus.subscribe)
  const composed = { store, runtime: { subscribe: bus.subscribe } } as unknown as Watched
  const shown: string[] = []
  const watch = (after: number) =>
    watchedLocally(composed, first).follow(Follow.after(store, conversationId, after), (events) =>
      shown.push(...events.map(({ seq, sub }) => (sub === undefined ? `${seq}` : `${seq}.${sub}`))),
    )
  return { write, stream, first, watch, shown, clock }
}

describe('a run that this process drives is shown', () => {
  it('with the live events that came before anything was shown, each after the stored one that it follows', async () => {
    const { write, stream, first, watch, shown } = await world()
    await write(1)
    first.follow(conversationId)
    await write(2)
    stream()
    stream()
    await write(3)
    stream()
    const end = watch(1)
    stream()
    end()
    expect(shown).toEqual(['2', '2.1', '2.2', '3', '3.1', '3.2'])
  })

  it('with each durable event once and in order, where its store is ahead of what is told', async () => {
    const { write, stream, watch, shown, clock } = await world()
    await write(1)
    const end = watch(0)
    await write(2, false)
    await write(3)
    stream()
    await clock.advance(100)
    await write(4)
    end()
    expect(shown).toEqual(['1', '2', '3', '4'])
  })

  it('with everything that is stored, page by page', async () => {
    const { write, watch, shown } = await world()
    for (let seq = 1; seq <= 1_100; seq++) await write(seq, false)
    watch(0)()
    expect(shown).toEqual(Array.from({ length: 1_100 }, (_, i) => `${i + 1}`))
  })
})
