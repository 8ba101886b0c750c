import { expect, test } from 'vitest'
import { widthOf } from './progress/text-width.ts'
import { tableLines, type TableColumn } from './table.ts'

const COLUMNS: readonly TableColumn[] = [
  { title: 'ID' },
  { title: 'TASK', isFlexible: true },
  { title: 'TIME' },
]

test('has a header, and cells below their titles', () => {
  const rows = [
    { cells: ['a1', 'look', '3s'], facts: ['Running', 'offshoot approve apr_1'] },
    { cells: ['b22', 'write it', '12s'] },
  ]
  expect(tableLines(COLUMNS, rows, 40)).toEqual([
    'ID   TASK      TIME',
    'a1   look      3s',
    '    Running · offshoot approve apr_1',
    'b22  write it  12s',
  ])
})

test('a cell that does not fit is cut, and a fact has a line of its own', () => {
  const rows = [{ cells: ['a1', 'a task of many words', '3s'], facts: ['Running', 'offshoot approve apr_1'] }]
  expect(tableLines(COLUMNS, rows, 24)).toEqual([
    'ID  TASK            TIME',
    'a1  a task of man…  3s',
    '    Running',
    '    offshoot approve',
    '      apr_1',
  ])
})

test('a fact that is wider than the table is broken at its blanks, and no id is', () => {
  const id = `run_${'0'.repeat(26)}`
  const facts = [`delegated by you: bash:npm test *, bash:npm run build`, `offshoot continue ${id}`]
  const lines = tableLines(COLUMNS, [{ cells: ['a1', 'look', '3s'], facts }], 36)
  expect(lines.slice(2)).toEqual([
    '    delegated by you: bash:npm test',
    '      *, bash:npm run build',
    '    offshoot continue',
    `      ${id}`,
  ])
})

test.each([12, 20, 33, 80])('no row is wider than %d columns', (width) => {
  const rows = ['測試 wide', 'plain', '\u001b[2J\n escapes \u202e'].map((task) => ({
    cells: ['an id that is long', task.repeat(5), '3s'],
  }))
  for (const line of tableLines(COLUMNS, rows, width)) {
    expect(widthOf(line)).toBeLessThanOrEqual(width)
    expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\p{Bidi_Control}]/u)
  }
})
