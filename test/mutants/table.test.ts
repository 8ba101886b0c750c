import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isDecorated, mechanisms } from '../support/faults.ts'
import { MutantCopy, mutated } from './copy.ts'
import { editsOf } from './table.ts'

const ROOT = join(import.meta.dirname, '../..')

describe('a mutant', () => {
  test.each(mechanisms.filter((name) => !isDecorated(name)))('%s has its anchors in the sources', (name) => {
    for (const [file, text] of mutated(editsOf(name)!))
      expect(text).not.toBe(readFileSync(join(ROOT, file), 'utf8'))
  })

  const file = 'src/runtime/journal/journal.ts'

  test('fails where its anchor is not there any more', () => {
    const edits = [{ file, anchor: 'what nobody wrote', replacement: '' }]
    expect(() => new MutantCopy(edits)).toThrow(
      `${file} does not have the anchor of a mutant any more: what nobody wrote`,
    )
  })

  test('fails where its anchor is there more than once', () => {
    const edits = [{ file, anchor: 'import', replacement: '' }]
    expect(() => new MutantCopy(edits)).toThrow(`${file} has the anchor of a mutant more than once: import`)
  })

  test('leaves the sources as they are', () => {
    const source = join(ROOT, file)
    const before = readFileSync(source, 'utf8')
    using copy = new MutantCopy(editsOf('intent-rows')!)
    expect(readFileSync(join(copy.root, file), 'utf8')).not.toBe(before)
    expect(readFileSync(source, 'utf8')).toBe(before)
  })
})
