import { expect, test } from 'vitest'
import { handClock } from '../../../test/support/runtime-harness.ts'
import { base } from '../../core/fixtures/events.ts'
import type { EventDraft, OffshootEvent } from '../../core/events.ts'
import type { ConversationId, MessageId, PartId } from '../../core/ids.ts'
import { createBus } from './bus.ts'

const { conversationId } = base
const messageId = 'msg_1' as MessageId

const delta = (text: string, partId = 'prt_1') =>
  ({ ...base, type: 'part.delta', messageId, partId: partId as PartId, kind: 'text', text }) as EventDraft
const durable = (seq: number) => ({ ...base, type: 'conversation.updated', title: 't', seq }) as OffshootEvent

function listening() {
  const clock = handClock()
  const bus = createBus(clock)
  const batches: string[][] = []
  const end = bus.subscribe(conversationId, (events) => void batches.push(events.map(shown)))
  return { clock, bus, batches, end }
}

function shown(event: OffshootEvent): string {
  const what = event.type === 'part.delta' ? `${event.partId}:${event.text}` : event.type
  return `${event.seq}${event.sub === undefined ? '' : `.${event.sub}`} ${what}`
}

test('events come in batches of 16 ms, and a delta joins the one before it of the same part', async () => {
  const { clock, bus, batches } = listening()
  bus.durable([durable(1)])
  for (const text of ['a', 'b', 'c']) bus.live(delta(text))
  bus.live(delta('x', 'prt_2'))
  bus.live(delta('d'))
  await clock.advance(15)
  expect(batches).toEqual([])
  await clock.advance(1)
  expect(batches).toEqual([['1 conversation.updated', '1.3 prt_1:abc', '1.4 prt_2:x', '1.5 prt_1:d']])
  bus.durable([durable(2), durable(3)])
  bus.live(delta('e'))
  await clock.advance(16)
  expect(batches[1]).toEqual(['2 conversation.updated', '3 conversation.updated', '3.1 prt_1:e'])
  expect(clock.pending()).toBe(0)
})

test('a durable event between two deltas keeps them apart', async () => {
  const { clock, bus, batches } = listening()
  bus.live(delta('a'))
  bus.durable([durable(1)])
  bus.live(delta('b'))
  await clock.advance(16)
  expect(batches).toEqual([['0.1 prt_1:a', '1 conversation.updated', '1.1 prt_1:b']])
})

test('who leaves gets what is left, at once, and nothing more', async () => {
  const { clock, bus, batches, end } = listening()
  bus.live(delta('a'))
  end()
  expect(batches).toEqual([['0.1 prt_1:a']])
  bus.live(delta('b'))
  bus.durable([durable(1)])
  end()
  await clock.advance(100)
  expect(batches).toHaveLength(1)
  expect(clock.pending()).toBe(0)
})

test('subscribers of one conversation get the same, each for itself; those of another get nothing', async () => {
  const { clock, bus, batches } = listening()
  const more: number[] = []
  bus.subscribe(conversationId, (events) => void more.push(events.length))
  bus.subscribe('cnv_other' as ConversationId, () => void more.push(-1))
  bus.durable([durable(1)])
  await clock.advance(16)
  expect(batches).toEqual([['1 conversation.updated']])
  expect(more).toEqual([1])
})

test('without a subscriber live events cost no number', async () => {
  const clock = handClock()
  const bus = createBus(clock)
  bus.durable([durable(4)])
  bus.live(delta('unheard'))
  const got: string[] = []
  bus.subscribe(conversationId, (events) => void got.push(...events.map(shown)))
  bus.live(delta('heard'))
  await clock.advance(16)
  expect(got).toEqual(['4.1 prt_1:heard'])
})
