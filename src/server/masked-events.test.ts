import { expect, test } from 'vitest'
import type { OffshootEvent } from '../core/events.ts'
import { shapeMask } from '../core/secrets/mask.ts'
import { maskPartial } from './stored-partials.ts'
import { framesOf } from './event-topic.ts'

const key = `sk-ant-api03-${'A1b2C3d4'.repeat(8)}`

test('a frame of SSE has no key and nothing that a terminal takes for a command', () => {
  const event = {
    type: 'conversation.updated',
    seq: 1,
    title: `x ${key} \u009b31m \u202e`,
  } as unknown as OffshootEvent
  const frame = new TextDecoder().decode(framesOf([event], shapeMask))
  expect(frame).not.toMatch(/A1b2C3d4|[\u007f-\u009f\u202e]/)
  const { title } = JSON.parse(frame.split('data: ')[1]!) as { title: string }
  expect(title).toBe(`x sk-ant-${'•'.repeat(key.length - 7)} \u009b31m \u202e`)
})

test('what is streamed elsewhere is told as far as it holds no beginning of a key', () => {
  const part = { id: 'prt_1', type: 'text', text: `so ${key.slice(0, 18)}` }
  const message = { messageId: 'msg_1', branchId: 'brn_1', runId: 'run_1', parts: [part] } as never
  expect(maskPartial(message, shapeMask).parts).toMatchObject([{ text: 'so ' }])
})
