import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cpuMsOf } from '../../test/support/cpu-time.ts'
import { readServerMessages } from './sse.ts'

const take = (...chunks: string[]) => {
  const reader = readServerMessages()
  return chunks.flatMap((chunk) => reader.push(chunk))
}

describe('readServerMessages', () => {
  it.each([
    ['a message with everything', 'id: 7\nevent: run.started\ndata: {}\n\n', [['run.started', '{}']]],
    ['several lines of data', 'data: a\ndata:  b\ndata\n\n', [['message', 'a\n b\n']]],
    ['comments and unknown fields', ': beat\nretry: 5\ndata:x\n: beat\n\n', [['message', 'x']]],
    ['nothing for a message without data', 'event: a\n\ndata: b\n\n', [['message', 'b']]],
    ['nothing before the empty line', 'data: a\n', []],
  ])('reads %s', (_, text, messages) => {
    expect(take(text)).toEqual(messages.map(([type, data]) => ({ type, data })))
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
        expect(take(...chunks, 'data: more\n\n')).toEqual(
          take(`${whole.replaceAll(/\r\n|\r/g, '\n')}data: more\n\n`),
        )
      },
    )
    fc.assert(property)
  })

  it('reads a long message in time that grows with its length', async () => {
    const pieces = ['data: ', ...Array<string>(2_000).fill('x'.repeat(4_096)), '\n\n']
    expect(await cpuMsOf(() => take(...pieces))).toBeLessThan(1_000)
  })
})
