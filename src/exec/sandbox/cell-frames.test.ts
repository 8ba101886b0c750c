import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFrameReader, FRAMES, writeFrame, type CellFrame } from './cell-frames.ts'

const frames = fc.array(
  fc.record({
    kind: fc.constantFrom(...Object.values(FRAMES)),
    id: fc.nat({ max: 2 ** 32 - 1 }),
    contents: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  }),
  { maxLength: 8 },
)

test('frames arrive as they were written, in pieces of any size', () => {
  fc.assert(
    fc.property(frames, fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 }), (written, sizes) => {
      const all = Buffer.concat(written.map(({ kind, id, contents }) => writeFrame(kind, id, contents)))
      const read: CellFrame[] = []
      const take = createFrameReader((frame) => read.push(frame), 1_000)
      for (let at = 0, n = 0; at < all.length; n += 1) {
        const size = sizes[n % sizes.length]!
        take(all.subarray(at, at + size))
        at += size
      }
      expect(read).toEqual(written)
    }),
  )
})

test('an object is JSON', () => {
  const read: CellFrame[] = []
  createFrameReader((frame) => read.push(frame), 1_000)(writeFrame(FRAMES.exited, 7, { code: 0 }))
  expect(read).toEqual([{ kind: FRAMES.exited, id: 7, contents: Buffer.from('{"code":0}') }])
})

test.each([
  ['longer than the limit', writeFrame(FRAMES.output, 1, Buffer.alloc(1_000))],
  ['without room for its head', Buffer.from([0, 0, 0, 4, 1, 0, 0, 0])],
])('a frame %s is refused before it has arrived', (_, bytes) => {
  const take = createFrameReader(() => {}, 1_000)
  expect(() => take(bytes.subarray(0, 4))).toThrow(/^a frame of \d+ bytes$/)
})
