import fc from 'fast-check'

/** Halves of characters; none of them is one by itself. */
const HALVES = { first: 0xd800, count: 0x800 }
const LAST = 0x10ffff

/** For the `unit` of `fc.string`: what its `binary` is, which takes a second first, and 100 MB for each process. */
export const anyCharacter = fc.nat(LAST - HALVES.count).map(characterOf, numberOf)

function characterOf(number: number): string {
  return String.fromCodePoint(number < HALVES.first ? number : number + HALVES.count)
}

function numberOf(value: unknown): number {
  const [character, ...more] = typeof value === 'string' ? value : ''
  if (!character?.isWellFormed() || more.length > 0) throw new Error('This is not one character.')
  const point = character.codePointAt(0)!
  return point < HALVES.first ? point : point - HALVES.count
}
