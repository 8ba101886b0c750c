import { expect, it } from 'vitest'
import { agoWords, costWords, durationWords, tokenWords } from './format-figures.ts'

it.each([
  [durationWords(-5), '0s'],
  [durationWords(59_999), '59s'],
  [durationWords(187_000), '3m07s'],
  [durationWords(7_500_000), '2h05m'],
  [costWords(null), 'cost unknown'],
  [costWords(0), '$0'],
  [costWords(0.0001), '<$0.001'],
  [costWords(0.0124), '$0.012'],
  [costWords(4.256), '$4.26'],
  [tokenWords(950), '950'],
  [tokenWords(1_249), '1.2k'],
  [tokenWords(17_600), '18k'],
  [tokenWords(999_600), '1.0M'],
  [agoWords(10, 5), 'just now'],
  [agoWords(0, 3 * 60_000), '3m ago'],
  [agoWords(0, 5 * 3_600_000), '5h ago'],
  [agoWords(0, 50 * 3_600_000), '2d ago'],
])('%s', (words, expected) => expect(words).toBe(expected))
