import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createIds, idPrefix, isId } from './ids.ts'

const prefixes = ['cnv', 'brn', 'msg', 'prt', 'run', 'cal', 'apr', 'que', 'inb', 'art', 'cmd'] as const

function seeded(seed: number): (bytes: number) => Uint8Array {
  let value = seed
  return (bytes) =>
    Uint8Array.from({ length: bytes }, () => (value = (value * 1103515245 + 12345) % 2147483648) >>> 8)
}

describe('an id', () => {
  test('is its prefix, ten characters of time and sixteen random ones', () => {
    const newId = createIds(
      () => 1_469_918_176_385,
      () => new Uint8Array(10),
    )
    expect(newId('brn')).toBe('brn_01ARYZ6S410000000000000000')
  })

  test.each(prefixes)('%s is recognised by its prefix, and as nothing else', (prefix) => {
    const id = createIds(() => 1, seeded(7))(prefix)
    expect(idPrefix(id)).toBe(prefix)
    expect(prefixes.filter((other) => isId(other, id))).toEqual([prefix])
  })

  test.each([
    '',
    'run',
    'run_',
    'run_01ARYZ6S41000000000000000',
    'run_01ARYZ6S4100000000000000000',
    'run_01ARYZ6S41000000000000000I',
    'run_01aryz6s410000000000000000',
    ' run_01ARYZ6S410000000000000000',
    'run_01ARYZ6S410000000000000000\n',
    'xyz_01ARYZ6S410000000000000000',
    '__proto___01ARYZ6S410000000000',
  ])('%j is none', (text) => {
    expect(idPrefix(text)).toBeUndefined()
  })

  test('holds the random bytes it was given, so that it cannot be guessed', () => {
    const take = (bytes: readonly number[]) =>
      createIds(
        () => 5,
        () => Uint8Array.from(bytes),
      )('run').slice(14)
    fc.assert(
      fc.property(bytes10, bytes10, (a, b) => {
        expect(take(a) === take(b)).toBe(a.join() === b.join())
      }),
    )
  })
})

const bytes10 = fc.array(fc.nat(255), { minLength: 10, maxLength: 10 })

describe('one generator', () => {
  test('gives ids that sort in the order of their making, whatever the clock does', () => {
    const times = fc.array(fc.integer({ min: 0, max: 2 ** 48 }), { minLength: 2, maxLength: 60 })
    fc.assert(
      fc.property(times, fc.integer(), (clock, seed) => {
        const queue = [...clock]
        const newId = createIds(() => queue.shift()!, seeded(Math.abs(seed)))
        const ids = clock.map(() => newId('msg'))
        expect(ids.toSorted()).toEqual(ids)
        expect(new Set(ids).size).toBe(ids.length)
      }),
    )
  })

  test('gives 10,000 different ids, in order, within one millisecond', () => {
    const newId = createIds(() => 42, seeded(1))
    const ids = Array.from({ length: 10_000 }, () => newId('prt'))
    expect(new Set(ids).size).toBe(10_000)
    expect(ids.toSorted()).toEqual(ids)
  })

  test('keeps the order when the random part is at its end', () => {
    const newId = createIds(
      () => 42,
      () => new Uint8Array(10).fill(255),
    )
    const ids = [newId('run'), newId('run'), newId('run')]
    expect(ids.toSorted()).toEqual(ids)
    expect(ids[1]!.slice(0, 14) > ids[0]!.slice(0, 14)).toBe(true)
  })

  test('does not let its source change an id later', () => {
    const source = new Uint8Array(10)
    const newId = createIds(
      () => 42,
      () => source,
    )
    newId('run')
    source.fill(9)
    expect(newId('run').slice(14)).toBe('0000000000000001')
  })
})
