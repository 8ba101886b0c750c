import { describe, expect, test } from 'vitest'
import { countsOf, linesOf, readFiles, seenLines } from './evidence.ts'
import type { PastCall } from './prompt-transcript.ts'

describe('lines of a search', () => {
  test('are its rows; messages of the tool are none', () => {
    const output =
      'src/a.ts:3:const x = 1\nb c/d.md:12:  12: quoted\n(3 further lines; narrow the search or raise limit)'
    expect(linesOf(call('grep', {}, output))).toEqual([
      { path: 'src/a.ts', line: 3, text: 'const x = 1' },
      { path: 'b c/d.md', line: 12, text: '  12: quoted' },
    ])
  })

  test('the rows beside a cut may be broken, and are left out', () => {
    const output =
      'a.ts:1:one\na.ts:2:tw\n[… 900 bytes left out; the full text is artifact art_1 …]\n.ts:8:eight\na.ts:9:nine'
    expect(linesOf(call('grep', {}, output)).map((seen) => seen.line)).toEqual([1, 9])
  })

  test('the mark of a long line is not part of it', () => {
    const output = `a.ts:1:${'x'.repeat(300)} [... omitted end of long line]`
    expect(linesOf(call('grep', {}, output))[0]!.text).toBe('x'.repeat(300))
  })

  test('counts are no lines', () => {
    const counted = call('grep', { output_mode: 'count' }, 'src/a.ts:3\n(no match)')
    expect(linesOf(counted)).toEqual([])
    expect(countsOf(counted)).toEqual(new Map([['src/a.ts', 3]]))
  })

  test('a failed call shows nothing', () => {
    expect(linesOf({ ...call('grep', {}, 'a.ts:1:one'), failed: true })).toEqual([])
  })
})

describe('lines of a file that was read', () => {
  const numbered = (first: number, texts: readonly string[]) =>
    texts.map((text, i) => `${String(first + i).padStart(6)}\t${text}`).join('\n')

  test('are numbered from where the read began', () => {
    const read = call('read', { file_path: 'a.ts', offset: 7 }, numbered(7, ['seven', '9: nine']))
    expect(linesOf(read)).toEqual([
      { path: 'a.ts', line: 7, text: 'seven' },
      { path: 'a.ts', line: 8, text: '9: nine' },
    ])
  })

  test('rows that do not count up are no lines', () => {
    const read = call(
      'read',
      { file_path: 'a.ts' },
      `${numbered(1, ['one'])}\n     9\tnine\n(lines 1-1 of 9)`,
    )
    expect(linesOf(read).map((seen) => seen.line)).toEqual([1])
  })

  test('a later read replaces what a search saw before', () => {
    const seen = seenLines([
      call('grep', {}, 'a.ts:1:old'),
      call('read', { file_path: 'a.ts' }, numbered(1, ['new'])),
    ])
    expect(seen.get('a.ts')!.get(1)).toBe('new')
  })

  test('a file that could not be read is not trusted', () => {
    const { read, refused } = readFiles([
      call('read', { file_path: 'a.ts' }, numbered(1, ['one'])),
      { ...call('read', { file_path: 'b.ts' }, 'b.ts is a binary file'), failed: true },
    ])
    expect([...read]).toEqual(['a.ts'])
    expect([...refused]).toEqual(['b.ts'])
  })
})

function call(tool: string, input: Record<string, unknown>, output: string): PastCall {
  return { tool, input, output, failed: false }
}
