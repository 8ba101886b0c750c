import { expect, test } from 'vitest'
import type { OffshootEvent } from '../../core/events.ts'
import type { ConversationId } from '../../core/ids.ts'
import type { Subscriber } from '../../runtime/log/bus.ts'
import type { Io } from '../io.ts'
import { watchUnknown } from './recovered-text.ts'

test('a call whose effect turns out not to be known is printed at the end, without escape codes', async () => {
  const written: string[] = []
  const stderr = { write: (text: string, done: () => void) => (written.push(text), done(), true) }
  const io = { stderr, env: {} } as unknown as Io
  let subscriber: Subscriber = () => {}
  let isOver = false
  const subscribe = (_: ConversationId, given: Subscriber) => {
    subscriber = given
    return () => void (isOver = true)
  }
  const print = watchUnknown({ runtime: { subscribe } }, 'cnv_1' as ConversationId, io)
  const unknown = { type: 'tool.unknown', title: '$ git push\u001b[2J', runId: 'run_1' }
  subscriber([{ type: 'tool.completed', title: '$ ls' }, unknown] as unknown as OffshootEvent[])
  expect(written).toEqual([])
  await print()
  expect(isOver).toBe(true)
  expect(written).toHaveLength(1)
  expect(written[0]).toMatch(/^offshoot: \$ git push.*: whether it took effect is not known \(run_1\)\n$/)
  expect(written[0]).not.toContain('\u001b')
})
