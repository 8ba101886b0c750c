import fc from 'fast-check'
import { expect, test } from 'vitest'
import { OutputBuffer } from './output-buffer.ts'

test('keeps text that fits, otherwise head and tail with a note about the rest', () => {
  const chunks = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '€', '😀', '\n'), maxLength: 30 }), {
    maxLength: 30,
  })
  fc.assert(
    fc.property(
      chunks,
      fc.integer({ min: 0, max: 40 }),
      fc.integer({ min: 0, max: 40 }),
      (pieces, headSize, tailSize) => {
        const buffer = new OutputBuffer(headSize, tailSize)
        for (const piece of pieces) buffer.push(piece)
        const whole = pieces.join('')
        if (whole.length <= headSize) expect(buffer.droppedBytes).toBe(0)
        const parts = buffer.text().split(/\n\[\.\.\. \d+ bytes left out \.\.\.\]\n/)
        if (buffer.droppedBytes === 0) {
          expect(buffer.text()).toBe(whole)
          return
        }
        const [head = '', tail = ''] = parts
        expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true)
        expect(head.length).toBeLessThanOrEqual(headSize)
        expect(tail.length).toBeLessThanOrEqual(tailSize)
        expect(Buffer.byteLength(head) + Buffer.byteLength(tail) + buffer.droppedBytes).toBe(
          Buffer.byteLength(whole),
        )
        expect(head.isWellFormed() && tail.isWellFormed()).toBe(true)
      },
    ),
  )
})
