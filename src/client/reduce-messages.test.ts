import { describe, expect, it } from 'vitest'
import { viewState } from '../../test/support/view-state.ts'
import type { OffshootEvent } from '../core/events.ts'
import type { BranchId } from '../core/ids.ts'
import { withPage } from './merge-message-page.ts'
import { reduce } from './reduce.ts'
import { shownMessages } from './reduce-messages.ts'
import type { ViewState } from './view-state.ts'

const main = 'brn_main' as BranchId
const event = (type: string, more: object) =>
  ({
    type,
    at: 1,
    conversationId: 'cnv_1',
    branchId: main,
    runId: 'run_1',
    ...more,
  }) as unknown as OffshootEvent
const delta = (text: string, offset?: number, messageId = 'msg_2') =>
  event('part.delta', { seq: 0, sub: 1, messageId, partId: 'prt_1', kind: 'text', text, offset })

const empty = withPage(viewState(), { branchId: main, seq: 0, messages: [], calls: [], before: null })
const after = (...events: OffshootEvent[]) => events.reduce(reduce, empty)
const part = (state: ViewState) => state.branches[main]!.streaming?.parts[0]

describe('the text of an answer that is being streamed', () => {
  it.each([
    ['in order', [delta('ab', 0), delta('cd', 2)], 'abcd', false],
    ['twice', [delta('ab', 0), delta('ab', 0), delta('cd', 2), delta('b', 1)], 'abcd', false],
    ['partly twice', [delta('ab', 0), delta('bcd', 1)], 'abcd', false],
    ['with a hole', [delta('ab', 0), delta('e', 4), delta('f', 5)], 'ab', true],
    [
      'whole after a hole',
      [delta('ab', 0), delta('e', 4), delta('abcde', 0), delta('f', 5)],
      'abcdef',
      false,
    ],
    ['without places', [delta('ab'), delta('cd')], 'abcd', false],
  ])('%s', (_, events, text, isCut) => {
    expect(part(after(...events))).toMatchObject({ text, isCut })
  })

  it('makes room for that of the next answer, and not for that of an earlier one', () => {
    const next = after(delta('old', 0), delta('new', 0, 'msg_3'))
    expect([part(next)?.text, next.branches[main]!.streaming?.messageId]).toEqual(['new', 'msg_3'])
    const about = { messageId: 'msg_3', role: 'assistant', position: 0 }
    const whole = after(
      event('message.appended', { seq: 1, ...about }),
      event('message.completed', { seq: 2, ...about, state: 'complete' }),
      delta('late', 0),
      delta('late', 0, 'msg_3'),
    )
    expect(whole.branches[main]!.streaming).toBeNull()
  })

  it('stands in its message, or behind the others', () => {
    const behind = after(delta('ab', 0))
    expect(shownMessages(behind.branches[main]!)).toMatchObject([
      { id: 'msg_2', position: 0, state: 'streaming', parts: [{ text: 'ab' }] },
    ])
    const about = { seq: 1, messageId: 'msg_2', role: 'assistant', position: 0 }
    const inside = reduce(behind, event('message.appended', about))
    expect(shownMessages(inside.branches[main]!)).toMatchObject([{ id: 'msg_2', parts: [{ text: 'ab' }] }])
  })
})
