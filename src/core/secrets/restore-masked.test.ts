import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shapeMask } from './mask.ts'
import { restoreMasked } from './restore-masked.ts'

const key = `ghp_${'A1b2C3d4'.repeat(5)}`
const other = `hf_${'A1b2C3d4'.repeat(5)}`
const { text: mask } = shapeMask

test.each([
  ['the mask stands for what it hides', `use ${key} now`, (shown: string) => `Please ${shown}!`],
  ['two of them, in their order', `${key} and ${other}`, (shown: string) => `${shown}, in this order`],
  ['lines too', `a\n${key}\nb ${key}`, (shown: string) => `x\n${shown}`],
])('in an edited text %s', (_, original, edit) => {
  expect(restoreMasked(edit(mask(original)), original, mask)).toBe(edit(original))
})

test('what the person writes counts', () => {
  expect(restoreMasked('another text', `use ${key}`, mask)).toBe('another text')
  expect(restoreMasked('three dots •••', `use ${key}`, mask)).toBe('three dots •••')
  expect(restoreMasked('a list:\n• one', 'plain', mask)).toBe('a list:\n• one')
  expect(restoreMasked(`${mask(other)} alone`, `${key} and ${other}`, mask)).toContain(
    mask(other).slice(0, 3),
  )
})

test('a secret that was removed does not take the place of the next one', () => {
  const long = `${other}A1b2C3d4`
  expect(restoreMasked(mask(long), `${key} and ${long}`, mask)).toBe(long)
})

test('whatever the text, what was not edited is what is stored', () => {
  const text = fc.array(fc.oneof(fc.string(), fc.constantFrom(key, other, '•', '••', ' ', '\n')))
  const check = fc.property(text, (pieces) => {
    const original = pieces.join('')
    expect(restoreMasked(mask(original), original, mask)).toBe(original)
  })
  fc.assert(check, { numRuns: 1_000 })
})
