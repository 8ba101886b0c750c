import { expect, test } from 'vitest'
import type { OffshootEvent } from '../../core/events.ts'
import type { CallId, ConversationId } from '../../core/ids.ts'
import type { Subscriber } from '../../runtime/log/bus.ts'
import { packEvents } from '../../runtime/log/stored-events.ts'
import type { RecoveredRun } from '../../runtime/run/recovered-run.ts'
import { sampleRows, seed } from '../../store/conformance/rows.ts'
import { createMemoryStore } from '../../store/memory.ts'
import type { Io } from '../io.ts'
import { watchUnknown } from './recovered-text.ts'

const sample = sampleRows()
const id = sample.conversation.id
const unknown = (seq: number, title: string) =>
  ({ seq, type: 'tool.unknown', conversationId: id, callId: `call_${seq}`, runId: 'run_1', title }) as never

/** A store whose events of one conversation are these, one after the other from 1 on. */
async function stored(titles: readonly string[]) {
  const store = createMemoryStore()
  await store.tx(
    (tx) => {
      seed(tx, sample)
      titles.forEach((title, i) => {
        const events = packEvents([unknown(i + 1, title)])
        tx.insert('events', { conversationId: id, seq: i + 1, events })
      })
    },
    { durable: true },
  )
  return store
}

/** What is printed of these stored and live events, from the first stored one on. */
async function printed(
  titles: readonly string[],
  live: readonly (readonly OffshootEvent[])[],
  recovered: readonly RecoveredRun[] = [],
): Promise<readonly string[]> {
  const written: string[] = []
  const stderr = { write: (text: string, done: () => void) => (written.push(text), done(), true) }
  const io = { stderr, env: {} } as unknown as Io
  let subscriber: Subscriber = () => {}
  let isOver = false
  const subscribe = (_: ConversationId, given: Subscriber) => {
    subscriber = given
    return () => void (isOver = true)
  }
  const store = await stored(titles)
  const print = watchUnknown({ store, runtime: { subscribe } }, { id, seqBefore: 1 }, recovered, io)
  for (const events of live) subscriber(events)
  expect(written).toEqual([])
  await print()
  expect(isOver).toBe(true)
  return written
}

test('a call whose effect turns out not to be known is printed at the end, without escape codes', async () => {
  const completed = { seq: 2, type: 'tool.completed', title: '$ ls' } as never
  const written = await printed(['$ old'], [[completed, unknown(3, '$ git push\u001b[2J')]])
  expect(written).toHaveLength(1)
  expect(written[0]).toMatch(/^offshoot: \$ git push.*: whether it took effect is not known \(run_1\)\n$/)
  expect(written[0]).not.toContain('\u001b')
})

test('one that was stored before anybody listened is printed too, each once', async () => {
  const live = [[unknown(3, '$ b'), unknown(4, '$ c')]]
  const written = await printed(['$ old', '$ a', '$ b'], live)
  expect(written.map((line) => /\$ \w+/.exec(line)?.[0])).toEqual(['$ a', '$ b', '$ c'])
})

test('what was said of a recovered run at the start is not said again', async () => {
  const run = { unknown: [{ id: 'call_2' as CallId, began: '$ a' }] } as unknown as RecoveredRun
  const written = await printed(['$ old', '$ a', '$ b'], [], [run])
  expect(written).toEqual([expect.stringContaining('$ b')])
})
