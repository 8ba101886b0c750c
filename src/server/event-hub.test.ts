import { expect, test } from 'vitest'
import { emptyStore } from '../../test/support/served-user.ts'
import { state, type RunState } from '../core/run-status.ts'
import { Conversation, countedIds } from '../export/fixtures/conversations.ts'
import { handClock } from '../testing.ts'
import { Hub } from './event-hub.ts'

const durable = { durable: true }

/** A conversation that a process on another machine drives, and a client that looks at it. */
async function watched(to: RunState = state.running) {
  const clock = handClock()
  const store = emptyStore()
  const { conversationId: id, runs } = await store.tx((tx) => {
    const conversation = new Conversation(tx, countedIds(1_000))
    conversation.run(conversation.branches[0]!, to, { endedAt: null })
    const lease = { owner: 'other', host: 'elsewhere', bootId: 'b', pid: 7, pidStart: 1, epoch: 1 }
    tx.insert('leases', {
      conversationId: conversation.conversationId,
      ...lease,
      takenAt: 1,
      renewedAt: clock.now(),
    })
    return conversation
  }, durable)
  const hub = new Hub(store, clock)
  let renewed = 0
  const topic = hub.topic(id, undefined)
  topic.listeners.add({ notify: () => {}, end: () => {}, renew: () => renewed++ })
  const renewedAt = (at: number) => store.tx((tx) => tx.update('leases', id, { renewedAt: at }), durable)
  return { clock, store, hub, id, run: runs[0]!, renewed: () => renewed, renewedAt }
}

test('who looks at a run is told once that its process is gone, and once that another drives it', async () => {
  const { clock, hub, renewed, renewedAt } = await watched()
  await clock.advance(5_000)
  expect(renewed()).toBe(0)
  await clock.advance(11_000) // its lease has run out
  expect(renewed()).toBe(1)
  await clock.advance(60_000)
  expect(renewed()).toBe(1)
  await renewedAt(clock.now())
  await clock.advance(1_000)
  expect(renewed()).toBe(2)
  hub.close()
})

test('a process that ends with its runs is missed by nobody', async () => {
  const { clock, store, hub, run, renewed, renewedAt } = await watched()
  await store.tx((tx) => tx.update('runs', run.id, { status: 'completed', endReason: 'done' }), durable)
  await renewedAt(0)
  await clock.advance(30_000)
  expect(renewed()).toBe(0)
  hub.close()
})

test('who comes when its process is gone already has that from the snapshot', async () => {
  const { clock, hub, id, renewed, renewedAt } = await watched(state.waiting('approval'))
  await renewedAt(0)
  await clock.advance(1_000)
  expect(renewed()).toBe(1)
  let late = 0
  hub.topic(id, undefined).listeners.add({ notify: () => {}, end: () => {}, renew: () => late++ })
  await clock.advance(30_000)
  expect(late).toBe(0)
  hub.close()
})
