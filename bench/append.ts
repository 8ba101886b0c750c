import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BranchId, ConversationId } from '../src/core/ids.ts'
import { systemClock } from '../src/exec/system-clock.ts'
import { createBus } from '../src/runtime/log/bus.ts'
import { randomIds } from '../src/runtime/log/new-id.ts'
import { appendMessage } from '../src/runtime/run/messages.ts'
import { createRecorder, type Recorder } from '../src/runtime/log/recorder.ts'
import type { Store } from '../src/store/port.ts'
import { openSqliteStore } from '../src/store/sqlite/open.ts'
import type { Figures } from './children.ts'

const WARM_UP = 500
const BATCH = 500
const TEXT = 'a line of some length that somebody wrote. '.repeat(10)

/**
 * What it costs to append a message with its part and its events, each in a durable commit of its own, to a conversation
 * that has `messages`. Median of the single appends, so that a slow disk moment does not count.
 */
export async function measureAppends(appends: number, messages: number): Promise<Figures> {
  const directory = await mkdtemp(join(tmpdir(), 'offshoot-bench-'))
  const store = await openSqliteStore({ file: join(directory, 'bench.db'), now: systemClock.now })
  try {
    const warm = await conversation(store)
    for (let i = 0; i < WARM_UP; i++) await warm()
    const append = await conversation(store)
    for (let done = 0; done < messages; done += BATCH) {
      await Promise.all(Array.from({ length: Math.min(BATCH, messages - done) }, append))
    }
    return await timeEach(append, appends)
  } finally {
    await store.close()
    await rm(directory, { recursive: true })
  }
}

async function timeEach(append: () => Promise<unknown>, appends: number): Promise<Figures> {
  const cpu: number[] = []
  const wall: number[] = []
  for (let i = 0; i < appends; i++) {
    const cpuBefore = process.cpuUsage()
    const startedAt = performance.now()
    await append()
    wall.push((performance.now() - startedAt) * 1000)
    const { user, system } = process.cpuUsage(cpuBefore)
    cpu.push(user + system)
  }
  return { cpuUs: middle(cpu), wallUs: middle(wall), memoryBytes: 0, turns: 0, characters: 0 }
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!
}

/** A conversation with one branch; the result appends one message to it, as the runtime does. */
async function conversation(store: Store): Promise<() => Promise<unknown>> {
  const newId = randomIds(systemClock)
  const recorder = createRecorder({ store, bus: createBus(systemClock), clock: systemClock })
  const id = newId('cnv')
  const branchId = newId('brn')
  await create(recorder, id, branchId)
  return () =>
    recorder.record(id, (change) => {
      const place = { at: change.at, conversationId: id, branchId, runId: null, parentRunId: null, depth: 0 }
      const said = { text: TEXT, author: 'person' } as const
      const parts = [{ id: newId('prt'), type: 'text' as const, ...said }]
      appendMessage(change, newId, place, { branchId, role: 'user', parts, runId: null })
    })
}

async function create(recorder: Recorder, id: ConversationId, branchId: BranchId): Promise<void> {
  const now = systemClock.now()
  const times = { createdAt: now, updatedAt: now }
  const origin = { parentBranchId: null, originMessageId: null, originToolCallId: null }
  await recorder.record(id, ({ tx }) => {
    tx.insert('conversations', { id, directory: '/', title: 'bench', ...times })
    tx.insert('branches', {
      id: branchId,
      conversationId: id,
      kind: 'main',
      inheritContext: false,
      ...origin,
      agent: 'main',
      label: 'main',
      ...times,
    })
  })
}
