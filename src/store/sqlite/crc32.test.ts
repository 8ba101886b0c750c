import { crc32 as expected } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { crc32 } from './crc32.ts'

test('the sum of a text is that of zlib, however long it is and whatever is in it', () => {
  for (const text of ['', 'a', '\ud800', 'a'.repeat(16 * 1024), 'b'.repeat(16 * 1024 + 1)])
    expect(crc32(text)).toBe(expected(text))
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => crc32(text) === expected(text)))
})
