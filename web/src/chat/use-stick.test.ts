import { expect, it } from 'vitest'
import { countAfter } from './use-stick.ts'

const items = (...keys: string[]) => keys.map((key) => ({ key }))

it.each([
  [items('a', 'b', 'c'), 'a', 2],
  [items('a', 'b', 'c'), 'c', 0],
  // Older ones were loaded before it.
  [items('x', 'y', 'a'), 'a', 0],
  // It was folded into another one.
  [items('a', 'b'), 'gone', 0],
  [items('a', 'b'), undefined, 2],
  [[], undefined, 0],
] as const)('what is new comes after what was seen last: %#', (shown, seen, count) => {
  expect(countAfter(shown, seen)).toBe(count)
})
