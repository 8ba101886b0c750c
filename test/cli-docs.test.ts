import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { commands, withCommandTable } from '../scripts/cli-docs.mjs'
import { exitCodes } from '../src/cli/exit-codes.ts'

const page = readFileSync(new URL('../docs/cli.md', import.meta.url), 'utf8')

test('the table of commands in docs/cli.md is what `node scripts/cli-docs.mjs` writes', () => {
  expect(page).toBe(withCommandTable(page))
})

test('docs/cli.md names no option that no command has', () => {
  const known = new Set(['--debug', '--version', '--help'])
  for (const { options } of commands()) for (const { long } of options) known.add(long!)
  const named = [...page.matchAll(/(?<![\w-])--[a-z][a-z-]+/g)].map(([option]) => option)
  expect(named.filter((option) => !known.has(option))).toEqual([])
})

test('docs/cli.md has every exit code, and no other', () => {
  const table = page.slice(page.indexOf('## Exit codes'))
  const documented = [...table.matchAll(/^\| ([\d, ]+) \|/gm)].flatMap(([, cell]) => cell!.split(', '))
  expect(documented.map(Number)).toEqual(Object.values(exitCodes).toSorted((a, b) => a - b))
})
