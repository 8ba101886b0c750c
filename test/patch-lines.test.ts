import { describe, expect, test } from 'vitest'
import { diffOfPieces, unifiedDiff, wholeDiff } from '../src/tools/unified-diff.ts'
import { changedFile, patchLines, plainPatch, splitPatch } from '../src/client/patch-lines.ts'

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i}`).join('\n')

describe('the lines of a patch', () => {
  test('have the numbers of the file, and a gap between its hunks', () => {
    const before = `${numbered(1, 100)}\n`
    const after = before.replace('line 20\n', 'line twenty\nand more\n').replace('line 90\n', '')
    const lines = patchLines(unifiedDiff('a.ts', before, after))!
    expect(lines.filter(({ kind }) => kind === 'removed')).toEqual([
      { kind: 'removed', text: 'line 20', before: 20, after: null },
      { kind: 'removed', text: 'line 90', before: 90, after: null },
    ])
    expect(lines.filter(({ kind }) => kind === 'added')).toEqual([
      { kind: 'added', text: 'line twenty', before: null, after: 20 },
      { kind: 'added', text: 'and more', before: null, after: 21 },
    ])
    expect(lines[0]).toEqual({ kind: 'context', text: 'line 17', before: 17, after: 17 })
    expect(lines.at(-1)).toEqual({ kind: 'context', text: 'line 93', before: 93, after: 93 })
    expect(lines.filter(({ kind }) => kind === 'gap')).toHaveLength(1)
  })

  test('are those of the hunk, whatever they look like', () => {
    const lines = patchLines(unifiedDiff('a.sql', '-- one\n@@ x\n', '++ two\n@@ x\n'))!
    expect(lines.map(({ kind, text }) => [kind, text])).toEqual([
      ['removed', '-- one'],
      ['added', '++ two'],
      ['context', '@@ x'],
    ])
  })

  test('have no numbers where nobody knows them', () => {
    expect(patchLines(diffOfPieces('a.ts', 'a\nb', 'a\nc'))).toEqual([
      { kind: 'context', text: 'a', before: null, after: null },
      { kind: 'removed', text: 'b', before: null, after: null },
      { kind: 'added', text: 'c', before: null, after: null },
    ])
  })

  test('say nothing of a last line feed that did not change, and one line where it did', () => {
    const notes = (before: string, after: string) =>
      patchLines(unifiedDiff('a', before, after))!.filter(({ kind }) => kind === 'note')
    expect(notes('a', 'b')).toEqual([])
    expect(notes('', 'new')).toEqual([])
    expect(notes('a', 'a\n').map(({ text }) => text)).toEqual(['No newline at end of file'])
    expect(diffOfPieces('a', 'x', 'y\n')).not.toContain('newline')
  })

  test('of a very long change are all there for who decides about it', () => {
    const lines = patchLines(wholeDiff('a', '', `${numbered(1, 9_000)}\n`))!
    expect(lines).toHaveLength(9_000)
    expect(lines.at(-1)).toEqual({ kind: 'added', text: 'line 9000', before: null, after: 9_000 })
  })
})

test.each([
  '',
  'plain',
  '--- a\n+++ b',
  '--- a\n+++ b\nno hunk',
  '$ diff\n--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b',
])('%j is no patch', (text) => expect(patchLines(text)).toBeUndefined())

test('a patch says which file it is of', () => {
  expect(changedFile(unifiedDiff('lib/a b.ts', 'a\n', 'b\n'))).toBe('lib/a b.ts')
})

test('an output is split into what is said and what changed', () => {
  const patch = unifiedDiff('a.ts', 'a\n', 'b\n')
  expect(splitPatch(`edited a.ts (1 place)\n${patch}`)).toEqual({ words: 'edited a.ts (1 place)', patch })
  expect(splitPatch('created a.ts (2 lines, 8 bytes)')).toBeUndefined()
})

test('plain lines have one number each, and marks', () => {
  const lines = patchLines(
    `--- a/x\n+++ b/x\n@@ -8,3 +8,3 @@\n line 8\n-line 9\n+nine\n line 10\n@@ -40 +40,0 @@\n-end`,
  )!
  expect(plainPatch(lines)).toEqual([
    ' 8   line 8',
    ' 9 - line 9',
    ' 9 + nine',
    '10   line 10',
    ' ⋮',
    '40 - end',
  ])
})
