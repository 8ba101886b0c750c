import { readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { apiPage, pageOf } from '../scripts/library-docs.mjs'

const page = (name: string) => readFileSync(new URL(`../docs/${name}`, import.meta.url), 'utf8')

test('docs/api.md is what `node scripts/library-docs.mjs` writes', () => {
  expect(page('api.md')).toBe(apiPage())
})

describe('the API reference', () => {
  const files = {
    'src/index.ts':
      "export type { Stored as Run } from './core/run.ts'\nexport { last } from './core/last.ts'\n",
    'src/core/run.ts':
      'export type Run = Stored & { readonly isOpen: boolean }\n/** A row. */\nexport interface Stored { readonly id: RunId }\ntype RunId = string\n',
    'src/core/last.ts':
      "import type { Stored } from './run.ts'\nexport function last(runs: readonly Stored[]): Stored {\n  return runs[0]!\n}\n",
  }
  const written = (changed: Partial<typeof files> = {}) => {
    const all: Record<string, string> = { ...files, ...changed }
    return pageOf({ offshoot: 'src/index.ts' }, (file) => all[file]!)
  }

  it('describes what is exported under another name, and calls it by that name everywhere', () => {
    expect(written()).toContain('### `Run`\n\nA row.\n\n```ts\ninterface Run { readonly id: RunId }\n```')
    expect(written()).toContain('function last(runs: readonly Run[]): Run\n')
    expect(written()).not.toContain('Stored')
  })

  it('has a section for each type that another section names', () => {
    expect(written()).toMatch(/## Types named above\n[^]*### `RunId`\n\n```ts\ntype RunId = string\n```/)
  })

  it('is not written where a name has no section, or two types have one name', () => {
    const undeclared = files['src/core/run.ts'].replace('type RunId', 'type Id')
    expect(() => written({ 'src/core/run.ts': undeclared })).toThrow('nothing declares RunId')
    const another = files['src/core/last.ts'].replaceAll('Stored', 'Run')
    expect(() => written({ 'src/core/last.ts': another })).toThrow('are both Run')
  })
})

test('docs/library.md has every code of an error', () => {
  const declared = /type ErrorCode =([^]*?)\n\n/.exec(
    readFileSync(new URL('../src/core/errors.ts', import.meta.url), 'utf8'),
  )![1]!
  const codes = [...declared.matchAll(/'(\w+)'/g)].map(([, code]) => code!)
  expect(codes.length).toBeGreaterThan(10)
  const rows = [...page('library.md').matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code!)
  expect(codes.filter((code) => !rows.includes(code))).toEqual([])
})
