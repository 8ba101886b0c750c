import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readServerMessages } from './sse.ts'

const take = (...chunks: string[]) => {
  const reader = readServerMessages()
  return { messages: chunks.flatMap((chunk) => reader.take(chunk)), lastId: reader.lastId }
}

describe('readServerMessages', () => {
  it.each([
    ['a message with everything', 'id: 7\nevent: run.started\ndata: {}\n\n', [['run.started', '{}']]],
    ['several lines of data', 'data: a\ndata:  b\ndata\n\n', [['message', 'a\n b\n']]],
    ['comments and unknown fields', ': beat\nretry: 5\ndata:x\n: beat\n\n', [['message', 'x']]],
    ['nothing for a message without data', 'event: a\n\ndata: b\n\n', [['message', 'b']]],
    ['nothing before the empty line', 'data: a\n', []],
    ['a mark of byte order', '\uFEFFdata: a\n\n', [['message', 'a']]],
  ])('reads %s', (_, text, messages) => {
    expect(take(text).messages).toEqual(messages.map(([type, data]) => ({ type, data })))
  })

  it('keeps the last id of a whole message', () => {
    expect(take('id: 1\ndata: a\n\nid: 2\ndata: b\n').lastId).toBe('1')
    expect(take('id: 1\ndata: a\n\ndata: b\n\n').lastId).toBe('1')
    expect(take('id: 1\ndata: a\n\nid: 2\0\ndata: b\n\n').lastId).toBe('1')
    expect(take('data: a\n\n').lastId).toBeUndefined()
  })

  it('reads the same wherever the stream is cut, and however its lines end', () => {
    const line = fc.constantFrom('id: 3', 'event: a', 'data: x', 'data', ': beat', '', '', 'data: é😀')
    const property = fc.property(
      fc.array(line),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.array(fc.nat(200)),
      (lines, end, cuts) => {
        const whole = [...lines, 'data: end', ''].map((each) => each + end).join('') + end
        const places = [0, ...cuts.map((cut) => Math.min(cut, whole.length)), whole.length]
        const sorted = places.toSorted((a, b) => a - b)
        const chunks = sorted.slice(1).map((to, i) => whole.slice(sorted[i], to))
        expect(take(...chunks, 'data: more\n\n').messages).toEqual(
          take(`${whole.replaceAll(/\r\n|\r/g, '\n')}data: more\n\n`).messages,
        )
      },
    )
    fc.assert(property)
  })
})
