import { expect, test } from 'vitest'
import type { OffshootEvent } from '../../core/events.ts'
import type { ConversationId } from '../../core/ids.ts'
import type { Subscriber } from './bus.ts'
import { FirstEvents, MAX_FIRST_EVENTS } from './first-events.ts'

const ID = 'cnv_1' as ConversationId

function started() {
  const subscribers = new Set<Subscriber>()
  const first = new FirstEvents((_, subscriber) => {
    subscribers.add(subscriber)
    return () => void subscribers.delete(subscriber)
  })
  first.follow(ID)
  const emit = (...events: Partial<OffshootEvent>[]) =>
    subscribers.forEach((subscriber) => subscriber(events as OffshootEvent[]))
  return { first, emit, subscribers }
}

const live = (sub: number) => ({ seq: 1, sub })

test('live events are there once, and nothing is subscribed after that', () => {
  const { first, emit, subscribers } = started()
  emit(live(1), { seq: 2 }, live(2))
  expect(first.take()).toEqual([live(1), live(2)])
  expect(first.take()).toEqual([])
  expect(subscribers.size).toBe(0)
})

test('the end of the run keeps them for the first reader', () => {
  const { first, emit, subscribers } = started()
  emit(live(1))
  first.end()
  expect(subscribers.size).toBe(0)
  expect(first.take()).toEqual([live(1)])
})

test('a run with more of them than are kept gives up all, and its subscription', () => {
  const { first, emit, subscribers } = started()
  for (let sub = 0; sub < MAX_FIRST_EVENTS; sub++) emit(live(sub))
  expect(subscribers.size).toBe(1)
  emit(live(MAX_FIRST_EVENTS))
  expect(subscribers.size).toBe(0)
  expect(first.take()).toEqual([])
})
