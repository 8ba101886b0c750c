import fc from 'fast-check'
import { expect, test } from 'vitest'
import { boundedLines } from './bounded-lines.ts'

const linesOf = (chunks: readonly Uint8Array[], maxChars: number) =>
  Array.fromAsync(
    boundedLines(
      (async function* () {
        yield* chunks
      })(),
      maxChars,
    ),
  )

test('gives the lines, however the bytes are cut, and of a long one no more than its beginning', async () => {
  const line = fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replace(/[\r\n]/g, ''))
  const check = fc.asyncProperty(
    fc.array(line, { minLength: 1 }),
    fc.array(fc.nat(100)),
    async (lines, cuts) => {
      const bytes = Buffer.from(lines.join('\n'))
      const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
      const chunks = places.slice(1).map((end, i) => bytes.subarray(places[i], end))
      const expected = lines.at(-1) === '' ? lines.slice(0, -1) : lines
      expect(await linesOf(chunks, 8)).toEqual(expected.map((each) => each.slice(0, 9)))
      expect(await linesOf(chunks, 1_000)).toEqual(expected)
    },
  )
  await fc.assert(check, { numRuns: 300 })
})

test('takes CRLF, and no more memory than a line may have', async () => {
  expect(await linesOf([Buffer.from('a\r\nb\r\n')], 10)).toEqual(['a', 'b'])
  const piece = Buffer.alloc(1024 * 1024, 'x')
  async function* endless() {
    for (let i = 0; i < 300; i++) yield piece
  }
  const used = () => {
    const { heapUsed, external } = process.memoryUsage() // of this thread alone, as rss is not
    return heapUsed + external
  }
  const before = used()
  const [line] = await Array.fromAsync(boundedLines(endless(), 1_000))
  expect(line).toHaveLength(1_001)
  expect(used() - before).toBeLessThan(150 * 1024 * 1024)
})
