import { expect, test } from 'vitest'
import { cutText } from './cut-text.ts'

test.each([
  ['short', 10, 'short'],
  ['exactly ten', 11, 'exactly ten'],
  ['one two three', 9, 'one two…'],
  ['abcd😀efgh', 6, 'abcd…'],
  ['abcd😀efgh', 7, 'abcd😀…'],
])('%s in %i characters is %s', (text, most, cut) => {
  expect(cutText(text, most)).toBe(cut)
})
