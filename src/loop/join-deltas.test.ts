import { expect, test } from 'vitest'
import type { MessageId, PartId } from '../core/ids.ts'
import { joinDeltas } from './join-deltas.ts'
import type { LiveEvent } from './ports.ts'

const messageId = 'msg_1' as MessageId
const [one, two] = ['prt_1', 'prt_2'] as [PartId, PartId]

const started = (partId: PartId): LiveEvent => ({ type: 'part.started', messageId, partId, kind: 'text' })
const delta = (partId: PartId, text: string, offset: number): LiveEvent => ({
  type: 'part.delta',
  messageId,
  partId,
  kind: 'text',
  text,
  offset,
})

function joining() {
  const told: LiveEvent[] = []
  return { told, ...joinDeltas((event) => void told.push(event)) }
}

const turnOfEventLoop = () => new Promise((resolve) => setImmediate(resolve))

test('the deltas of a part that come in one turn of the event loop are one, told with its end', async () => {
  const { told, emit } = joining()
  emit(delta(one, 'a', 0))
  emit(delta(one, 'b', 1))
  expect(told).toEqual([])
  await turnOfEventLoop()
  expect(told).toEqual([delta(one, 'ab', 0)])
  emit(delta(one, 'c', 2))
  await turnOfEventLoop()
  expect(told).toEqual([delta(one, 'ab', 0), delta(one, 'c', 2)])
})

test('nothing overtakes a delta', () => {
  const { told, emit, flush } = joining()
  emit(started(one))
  emit(delta(one, 'a', 0))
  emit(started(two))
  emit(delta(two, 'x', 0))
  emit(delta(one, 'b', 1))
  flush()
  flush()
  expect(told).toEqual([
    started(one),
    delta(one, 'a', 0),
    started(two),
    delta(two, 'x', 0),
    delta(one, 'b', 1),
  ])
})

test('what was handed in is not changed', () => {
  const { emit } = joining()
  const first = delta(one, 'a', 0)
  emit(first)
  emit(delta(one, 'b', 1))
  expect(first).toEqual(delta(one, 'a', 0))
})
