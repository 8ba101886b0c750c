import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LineRange } from './text-range.ts'

test('picks the same lines as splitting the whole text, however the chunks are cut', () => {
  const piece = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r\n', 'c d'), maxLength: 10 })
  fc.assert(
    fc.property(
      fc.array(piece),
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 8 }),
      (pieces, first, count) => {
        const range = new LineRange(first, count, 1_000)
        for (const text of pieces) range.push(text)
        range.end()
        const lines = pieces.join('').split('\n')
        if (lines.at(-1) === '') lines.pop()
        expect(range.total).toBe(lines.length)
        expect(range.lines).toEqual(
          lines.slice(first - 1, first - 1 + count).map((line) => line.replace(/\r$/, '')),
        )
      },
    ),
  )
})
