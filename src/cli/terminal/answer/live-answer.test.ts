import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import type { OffshootEvent } from '../../../core/events.ts'
import type { BranchId } from '../../../core/ids.ts'
import type { Io } from '../../io.ts'
import { createLiveAnswer } from './live-answer.ts'

const BRANCH = 'brn_1' as BranchId

function start() {
  let shown = ''
  const stdout = new Writable({
    write(chunk: Buffer, _encoding, done) {
      shown += chunk.toString()
      done()
    },
  })
  const io = { stdout, env: { NO_COLOR: '1' } } as unknown as Io
  const answer = createLiveAnswer(BRANCH, io, (write) => write())
  const notify = (...events: object[]) =>
    answer.notify(events.map((event) => ({ branchId: BRANCH, ...event })) as unknown as OffshootEvent[])
  return { answer, notify, shown: () => shown }
}

const appended = (messageId: string, role = 'assistant') => ({ type: 'message.appended', messageId, role })
const delta = (messageId: string, text: string, offset?: number) => ({
  type: 'part.delta',
  messageId,
  partId: `${messageId}-part`,
  kind: 'text',
  text,
  ...(offset === undefined ? {} : { offset }),
})
const whole = (messageId: string, text: string) => ({
  type: 'part.completed',
  messageId,
  partId: `${messageId}-part`,
  kind: 'text',
  part: { type: 'text', text },
})
const completed = (messageId: string) => ({ type: 'message.completed', messageId })

test('a block is shown while the next one is written, and the answer once', async () => {
  const { answer, notify, shown } = start()
  notify(appended('m'), delta('m', 'First *one*.\n\nSec', 0))
  expect(shown()).toBe('First one.\n')
  notify(delta('m', 'ond.', 17), whole('m', 'First *one*.\n\nSecond.'), completed('m'))
  await answer.end('First *one*.\n\nSecond.')
  expect(shown()).toBe('First one.\n\nSecond.\n\n')
})

test('what lost pieces left out comes with the whole part', async () => {
  const { answer, notify, shown } = start()
  notify(appended('m'), delta('m', 'a ', 0), delta('m', 'c', 4), delta('m', 'b', 2))
  notify(whole('m', 'a b c'), completed('m'))
  await answer.end('a b c')
  expect(shown()).toBe('a b c\n\n')
})

test('what a person said, another branch, and a thought are not shown', async () => {
  const { answer, notify, shown } = start()
  notify(appended('u', 'user'), whole('u', 'asked'), completed('u'))
  notify({ ...appended('b'), branchId: 'brn_2' }, { ...delta('b', 'elsewhere\n\nx\n'), branchId: 'brn_2' })
  notify({ ...delta('m', 'thought\n\nx\n'), kind: 'reasoning' })
  await answer.end('')
  expect(shown()).toBe('')
})

test('an answer that was not the last text is printed whole', async () => {
  const { answer, notify, shown } = start()
  notify(appended('m'), delta('m', 'half'), completed('m'))
  await answer.end('half and the rest')
  expect(shown()).toBe('half\n\nhalf and the rest\n')
})

test('while a question is open nothing is written', async () => {
  const { answer, notify, shown } = start()
  const resume = answer.pause()
  notify(appended('m'), delta('m', 'a\n\nb'), completed('m'))
  expect(shown()).toBe('')
  resume()
  expect(shown()).toBe('a\n\nb\n\n')
  await answer.end('a\n\nb')
  expect(shown()).toBe('a\n\nb\n\n')
})

test('nothing of it is a command to the terminal, in whatever pieces it comes', async () => {
  const { answer, notify, shown } = start()
  const text = 'a\u001b[2J\u009b1m\r\nb \u202e `\u0007`\n\nc\r\n'
  for (const [i, char] of [...text].entries()) notify(delta('m', char, i))
  notify(completed('m'))
  await answer.end(text)
  expect(shown()).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\p{Bidi_Control}]/u)
  expect(shown()).toContain('a␛[2J')
})
