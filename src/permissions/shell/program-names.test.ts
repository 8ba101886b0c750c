import fc from 'fast-check'
import { expect, test } from 'vitest'
import { listedName, otherNames, withoutDigits } from './program-names.ts'

const name = fc.string({ unit: fc.constantFrom('a', 'g', '-', '.', '1', '2', 'x'), maxLength: 8 })

test('drops digits and dots at the end', () => {
  fc.assert(
    fc.property(name, (each) => {
      expect(withoutDigits(each)).toBe(each.replace(/[\d.]+$/, ''))
    }),
  )
})

test('ignores a version at the end and its hyphen', () => {
  fc.assert(
    fc.property(name, (each) => {
      const plain = each.replace(/-?\d[\d.]*$/, '')
      fc.pre(plain !== '' && plain !== each)
      expect(listedName(each, (listed) => listed === plain)).toBe(plain)
    }),
  )
  expect(listedName('pip-3.11', (listed) => listed === 'pip')).toBe('pip')
})

test('handles names of thousands of digits in linear time', () => {
  for (const each of ['1'.repeat(60_000) + 'de', '.1'.repeat(30_000) + 'x', '1'.repeat(60_000)]) {
    const before = process.threadCpuUsage()
    listedName(each, () => false)
    otherNames(each, each)
    withoutDigits(each)
    const { user, system } = process.threadCpuUsage(before)
    expect((user + system) / 1000).toBeLessThan(100)
  }
})
