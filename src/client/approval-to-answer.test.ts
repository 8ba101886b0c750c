import { expect, test } from 'vitest'
import type { AskRow } from '../protocol/approvals-and-questions.ts'
import { approvalToAnswer } from './approval-to-answer.ts'

const open = { answer: null, answeredBy: null, answeredAt: null }
const ask = (number: number, more: Partial<AskRow> = {}) =>
  ({ id: `apr_${number}`, number, kind: 'approval', title: `$ make ${number}`, ...open, ...more }) as AskRow

test('a number names what was asked under it, whatever was answered meanwhile', () => {
  const asks = [ask(1, { answer: 'once', answeredBy: 'terminal', answeredAt: 5 }), ask(2), ask(3)]
  expect(approvalToAnswer(asks, '2')).toBe('apr_2')
  expect(approvalToAnswer(asks, 'apr_3')).toBe('apr_3')
})

test('a number that is answered, unknown or of a question is refused with what it is', () => {
  const answered = ask(1, { answer: 'deny', answeredBy: 'terminal', answeredAt: 5 })
  const closed = ask(2, { kind: 'question', title: 'Which?', answeredBy: 'stop', answeredAt: 6 })
  const question = ask(3, { kind: 'question', title: 'Which way?' })
  const asks = [answered, closed, question]
  expect(() => approvalToAnswer(asks, '1')).toThrow('#1 ($ make 1) was already answered: deny, by terminal')
  expect(() => approvalToAnswer(asks, '2')).toThrow(
    '#2 (Which?) was already answered: closed without an answer, by stop',
  )
  expect(() => approvalToAnswer(asks, '3')).toThrow('#3 (Which way?) is a question')
  expect(() => approvalToAnswer(asks, '4')).toThrow('there is no approval or question #4')
  expect(() => approvalToAnswer(asks, 'apr_x')).toThrow('there is no approval or question apr_x')
})
