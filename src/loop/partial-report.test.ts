import { expect, test } from 'vitest'
import type { MessageId } from '../core/ids.ts'
import { partialReport } from './partial-report.ts'

const said = (turn: number, text = `text ${turn}`) => ({ messageId: `msg_${turn}` as MessageId, text, turn })

test('a partial report holds the texts of the turns in order, and says so', () => {
  expect(partialReport([said(1), said(2), said(3)], 'the run was stopped')).toEqual({
    messageId: 'msg_3',
    partialFrom: 'msg_1',
    text: 'text 1\n\ntext 2\n\ntext 3',
    lastText: 'text 3',
    note: 'partial: the texts of turns 1 to 3, in order',
  })
  expect(partialReport([said(1), said(4)], '').note).toBe('partial: the texts of turns 1 and 4, in order')
  expect(partialReport([said(1), said(2), said(4)], '').note).toBe(
    'partial: the texts of 3 turns, 1 to 4, in order',
  )
  expect(partialReport([said(2)], '', 'cut').note).toBe('partial: the text of turn 2, cut off before its end')
  expect(partialReport([], 'the run failed')).toEqual({
    messageId: null,
    text: '',
    note: 'no text: the run failed without writing any',
  })
})
