/** Longer texts are left to `node:zlib`, which is many times as fast. Characters. */
const LONG = 16 * 1024

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1
  return sum
})

/**
 * The CRC-32 of a text in UTF-8, as `node:zlib` has it. Short texts need no zlib, which is a large part of what a start
 * would load of Node.
 */
export function crc32(text: string): number {
  if (text.length > LONG) return process.getBuiltinModule('node:zlib').crc32(text)
  let sum = 0xffffffff
  for (const byte of Buffer.from(text)) sum = (sum >>> 8) ^ TABLE[(sum ^ byte) & 0xff]!
  return (sum ^ 0xffffffff) >>> 0
}
