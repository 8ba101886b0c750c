import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { apiPage } from '../scripts/library-docs.mjs'

const page = (name: string) => readFileSync(new URL(`../docs/${name}`, import.meta.url), 'utf8')

test('docs/api.md is what `node scripts/library-docs.mjs` writes', () => {
  expect(page('api.md')).toBe(apiPage())
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
