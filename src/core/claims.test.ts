import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { claimedChanges, mayBeSameFile } from './claims.ts'

describe('a claim is', () => {
  test.each([
    ['I fixed the parser in src/parser.ts so that it no longer fails.', ['src/parser.ts']],
    ['I have also updated `README.md`.', ['README.md']],
    ['- Updated `src/a.ts` and `src/b.ts`', ['src/a.ts', 'src/b.ts']],
    ['Done: added a check to src/a.ts:12-20.', ['src/a.ts']],
    ["We've rewritten ./src/deep/x.go", ['./src/deep/x.go']],
    ['`src/x.ts` was updated.', ['src/x.ts']],
    ['The file src/x.ts has been successfully created.', ['src/x.ts']],
    ['## Files changed\n\n- `src/a.ts`: the check, see src/z.ts\n- src/b.ts', ['src/a.ts', 'src/b.ts']],
    ['I made the following changes:\n```diff\n--- a/src/a.ts\n+++ b/src/a.ts\n+x\n```', ['src/a.ts']],
    ['✅ Fixed src/x.ts', ['src/x.ts']],
    ['Removed the function from src/old.py.', ['src/old.py']],
  ])('%s', (text, paths) => {
    expect(claimedChanges(text)).toEqual(paths)
  })
})

describe('no claim is', () => {
  test.each([
    'The parser is in src/parser.ts, and it reads src/tokens.ts.',
    'You should change src/parser.ts.',
    'I would have updated src/parser.ts, but there was no time.',
    'I did not change src/parser.ts.',
    'I could not edit src/parser.ts: it was denied.',
    'src/parser.ts was changed by commit abc.',
    'src/parser.ts was added in version 2.',
    'I suggest that src/parser.ts is fixed.',
    'Suggested patch:\n```diff\n--- a/src/a.ts\n+++ b/src/a.ts\n+x\n```',
    'I added a test for src/parser.ts.',
    'I fixed the version of Node.js.',
    'Updated https://example.com/src/a.ts',
    'Fixed-size buffers are in src/a.ts.',
    'Events are created in src/a.ts.',
    '```\nI changed src/a.ts\n```',
    'I checked src/a.ts; nothing was changed.',
    '',
  ])('%s', (text) => {
    expect(claimedChanges(text)).toEqual([])
  })
})

test('one file has many names, whatever it is named from', () => {
  for (const name of ['x.ts', './src/x.ts', '/w/src/x.ts', 'src\\x.ts', 'SRC/X.ts', '../src/x.ts'])
    expect(mayBeSameFile(name, 'src/x.ts'), name).toBe(true)
  for (const name of ['y.ts', 'src/ax.ts', 'lib/x.ts']) expect(mayBeSameFile(name, 'src/x.ts')).toBe(false)
})

test('no text, however hostile, takes long or names more than fifty', () => {
  const pieces = fc.constantFrom(
    'I fixed ',
    'a/',
    'a.',
    '.ts',
    ' and ',
    '`',
    '\n',
    '- ',
    '+++ b/',
    '```',
    'x'.repeat(99),
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), fc.nat(200), (made, times) => {
      expect(claimedChanges(made.join('').repeat(times)).length).toBeLessThanOrEqual(50)
    }),
    { numRuns: 100 },
  )
  for (const hostile of ['a', 'a/', 'I ', '.', 'I fixed a.', '`', '+'])
    expect(claimedChanges(hostile.repeat(100_000)).length).toBeLessThanOrEqual(50)
})
