import { afterAll, beforeAll, expect, test } from 'vitest'
import { ServedUser } from '../../test/support/served-user.ts'
import type { MessageId, PartId, RunId } from '../core/ids.ts'

let served: ServedUser
let other: ServedUser['store']
beforeAll(async () => {
  served = await ServedUser.start()
  other = await served.storeElsewhere()
})
afterAll(async () => {
  await other.close()
  await served.remove()
})

const messageId = `msg_${'Z'.repeat(26)}` as MessageId
const partId = `prt_${'Z'.repeat(26)}` as PartId
/** Each ends with a space: a last letter may be held back, as the beginning of a secret. */
const [ONE, TWO, THREE] = ['one ', 'one two ', 'one two three '] as const
const NEXT: Readonly<Record<string, string>> = { [ONE]: TWO, [TWO]: THREE }
const part = (text: string) => ({ part: { id: partId, type: 'text', text } }) as const

test('what another process streams is shown as far as it has stored it, and told on as that grows', async () => {
  const began = await served.begin({ '*': [{ text: 'x' }] })
  const { conversationId, branchId } = began
  const runId = began.runId as RunId
  await served.ended(conversationId)
  await other.tx(
    (tx) => {
      tx.update('runs', runId, { status: 'running' })
      const about = { role: 'assistant', state: 'streaming', usage: null, createdAt: 0 } as const
      tx.insert('messages', { id: messageId, conversationId, branchId, position: 100, runId, ...about })
      tx.insert('parts', { id: partId, messageId, conversationId, position: 0, ...part(ONE) })
    },
    { durable: true },
  )
  const { body } = await served.get(`/conversations/${conversationId}`)
  expect(body['streaming']).toEqual([{ messageId, branchId, runId, parts: [part(ONE).part] }])
  const deltas = []
  let shown = ''
  const ending = new AbortController()
  const after = body['seq'] as number
  for await (const { event } of served.events(conversationId, { after, signal: ending.signal })) {
    if (event?.type !== 'part.delta') continue
    deltas.push([event.partId, event.offset, event.text])
    shown = shown.slice(0, event.offset) + event.text
    // the same may be told again, from its beginning, to those that have come meanwhile: what is shown counts
    const next = NEXT[shown]
    if (next) await other.tx((tx) => tx.update('parts', partId, part(next)), { durable: true })
    if (shown === THREE) break
  }
  ending.abort()
  expect(deltas.map(([id]) => id)).toEqual(deltas.map(() => partId))
  expect(deltas.at(-1)).toEqual([partId, TWO.length, 'three '])
})
