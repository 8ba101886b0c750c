import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Rule } from '../../core/agent.ts'
import type { CorpusRow } from '../fixtures/example-workspace.ts'
import {
  bashRule,
  decideCommand,
  decideRow,
  PLAIN_FILES,
  rowsOf,
  SECRET_FILES,
} from '../fixtures/example-workspace.ts'

interface Row {
  readonly id: string
  readonly rules: readonly Rule[]
  readonly command: string
  readonly accept: readonly string[]
  readonly malicious: boolean
  readonly tags: readonly string[]
}

test('no example of an attack is allowed', () => {
  const rows = rowsOf<Row>(readFileSync(new URL('../fixtures/bash.jsonl', import.meta.url), 'utf8')).filter(
    (row) => row.malicious,
  )
  expect(rows.length).toBeGreaterThan(60)
  expect(wrong(rows)).toEqual([])
})

test('no everyday command asks although a rule allows it', () => {
  const rows = rowsOf<Row>(readFileSync(new URL('../fixtures/bash.jsonl', import.meta.url), 'utf8')).filter(
    (row) => !row.malicious && !row.tags.includes('soft'),
  )
  expect(rows.length).toBeGreaterThan(20)
  expect(wrong(rows)).toEqual([])
})

function wrong(rows: readonly Row[]) {
  return rows
    .map((row) => ({ row, decision: decideCommand(row.command, row.rules) }))
    .filter(({ row, decision }) => !row.accept.includes(decision.action))
    .map(({ row, decision }) => ({ id: row.id, command: row.command, ...decision }))
}

interface OwnRow {
  readonly rules: readonly string[]
  readonly command: string
  readonly accept: readonly string[]
}

/** each row represents a class; where `ask` is right, `deny` is too */
test('commands of each class are decided as their rows say', () => {
  const rows = rowsOf<OwnRow>(readFileSync(new URL('../fixtures/commands.jsonl', import.meta.url), 'utf8'))
  const failures = rows.flatMap(({ rules, command, accept }) => {
    const { action, why } = decideCommand(command, rules.map(bashRule))
    const right = accept.includes(action) || (accept[0] === 'ask' && action === 'deny')
    return right ? [] : [{ rules, command, accept, action, why }]
  })
  expect(rows.length).toBeGreaterThan(700)
  expect(failures).toEqual([])
})

const corpus = (name: string) =>
  rowsOf<CorpusRow & { readonly class?: string }>(
    readFileSync(new URL(`../fixtures/${name}.jsonl`, import.meta.url), 'utf8'),
  )

test.each(['option', 'program', 'wrapper', 'deny', 'arithmetic', 'dots', 'read', 'guard', 'tree', 'parse'])(
  'no attack of the class %s is allowed',
  (name) => {
    const rows = corpus('attacks').filter((row) => row.class === name)
    const allowed = rows.filter((row) => decideRow(row, SECRET_FILES).action === 'allow')
    expect(rows.length).toBeGreaterThan(10)
    expect(allowed).toEqual([])
  },
)

test("commands of developers are allowed under the developers' own rules", () => {
  const rows = corpus('everyday')
  const asked = rows
    .map((row) => ({ ...row, decision: decideRow(row, PLAIN_FILES) }))
    .filter(({ decision }) => decision.action !== 'allow')
  expect(rows.length).toBeGreaterThan(350)
  expect(asked).toEqual([])
})
