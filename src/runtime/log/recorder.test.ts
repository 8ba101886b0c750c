import { expect, test } from 'vitest'
import { systemClock } from '../../exec/system-clock.ts'
import { createMemoryStore } from '../../store/memory.ts'
import { createBus } from './bus.ts'
import { randomIds } from './new-id.ts'
import { createRecorder, type Change } from './recorder.ts'

const newId = randomIds(systemClock)

test('a change counts the subagents that stand, and those of changes before it, but none of one that failed', async () => {
  const { record, again, id } = await conversation()
  const addTwo = (change: Change) => {
    addSubagent(change)
    addSubagent(change)
    return change.subagents()
  }
  expect(await record(addTwo)).toBe(2)
  const failing = record((change) => {
    addTwo(change)
    throw new Error('not written')
  })
  await expect(failing).rejects.toThrow('not written')
  expect(await record(addTwo)).toBe(4)
  expect(await again((change) => change.subagents())).toBe(4)

  function addSubagent({ tx, at, event, addSubagent: add }: Change) {
    const branchId = newId('brn')
    add(branchId)
    const origin = { parentBranchId: null, originMessageId: null, originToolCallId: null }
    const about = {
      kind: 'subagent',
      inheritContext: false,
      ...origin,
      agent: 'explore',
      label: 'x',
    } as const
    tx.insert('branches', { id: branchId, conversationId: id, ...about, createdAt: at, updatedAt: at })
    const here = { at, conversationId: id, branchId, runId: null, parentRunId: null, depth: 1 }
    event({ type: 'branch.created', ...here, ...about })
  }
})

/** A conversation without anything, written by one recorder, and again by one that knows nothing of it. */
async function conversation() {
  const store = createMemoryStore()
  const id = newId('cnv')
  const open = () => createRecorder({ store, bus: createBus(systemClock), clock: systemClock })
  const recorder = open()
  await recorder.record(id, ({ tx, at }) =>
    tx.insert('conversations', { id, directory: '/', title: 'x', createdAt: at, updatedAt: at }),
  )
  const record = <T>(write: (change: Change) => T) => recorder.record(id, write)
  const again = <T>(write: (change: Change) => T) => open().record(id, write)
  return { record, again, id }
}
