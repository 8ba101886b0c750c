import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { faultPoints, isDecorated, mechanisms } from '../support/faults.ts'
import { MutantCopy, mutated } from './copy.ts'
import { killers } from './killers.ts'
import { editsOf } from './table.ts'

const ROOT = join(import.meta.dirname, '../..')

describe('a mutant', () => {
  test.each(mechanisms.filter((name) => !isDecorated(name)))('%s has its anchors in the sources', (name) => {
    for (const [file, text] of mutated(editsOf(name)!))
      expect(text).not.toBe(readFileSync(join(ROOT, file), 'utf8'))
  })

  const file = 'src/runtime/journal/journal.ts'

  test('fails where its file is not there any more', () => {
    const edits = [{ file: 'src/nowhere.ts', anchor: 'x', replacement: '' }]
    expect(() => new MutantCopy(edits)).toThrow(
      'src/nowhere.ts is not there any more, and a mutant changes it',
    )
  })

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

describe('docs/durability.md', () => {
  const page = readFileSync(join(ROOT, 'docs/durability.md'), 'utf8')

  test('says of each mechanism how it is taken away, and which seed notices', () => {
    const rows = [...page.matchAll(/^\| `([\w-]+)` \| (\w+) \| .* \| `([\w:]+)` seed (\d+): (\w+) \|$/gm)]
    const due = mechanisms.map((name) => {
      const { suite, seed, invariant } = killers[name]
      return [name, isDecorated(name) ? 'decorator' : 'mutant', suite, String(seed), invariant]
    })
    expect(rows.map(([, ...cells]) => cells)).toEqual(due)
  })

  test('says of each point which port shows it', () => {
    const [, section = ''] = /^## Where programs die\n([^]*?)^## /m.exec(page) ?? []
    const named = [...section.matchAll(/^\| `([\w.]+)`, `([\w.]+)` \|/gm)].flatMap(([, ...names]) => names)
    expect(named.toSorted()).toEqual(faultPoints.toSorted())
  })
})
