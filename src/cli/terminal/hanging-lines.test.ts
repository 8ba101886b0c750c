import { expect, test } from 'vitest'
import { factLines, hangingLines, outputColumns } from './hanging-lines.ts'
import { widthOf } from './progress/text-width.ts'

test('a line that fits stays as it is, with its blanks', () => {
  expect(hangingLines('  a  b   c', 10)).toEqual(['  a  b   c'])
  expect(hangingLines('a'.repeat(300), Infinity)).toEqual(['a'.repeat(300)])
})

test('a line that does not fit is broken at blanks, and goes on further to the right', () => {
  expect(hangingLines('  User: find the port and the host', 20)).toEqual([
    '  User: find the',
    '      port and the',
    '      host',
  ])
})

test('an id is not broken', () => {
  const id = 'run_01K9Z3000000000000000000'
  expect(hangingLines(`see ${id} now`, 12)).toEqual(['see', `    ${id}`, '    now'])
})

test('another word that is wider than a line is broken', () => {
  expect(hangingLines(`see ${'ab'.repeat(12)} now`, 16)).toEqual([
    'see abababababab',
    '    abababababab',
    '    now',
  ])
})

test.each([10, 20, 80])('no line of short words is wider than %d columns', (columns) => {
  for (const line of hangingLines('ab 測試 cd '.repeat(30), columns))
    expect(widthOf(line)).toBeLessThanOrEqual(columns)
})

test('facts are broken between two of them', () => {
  const margins = { first: '● ', rest: '    ' }
  expect(factLines(['main', 'Done', '2 turns'], Infinity, margins)).toEqual(['● main · Done · 2 turns'])
  expect(factLines(['main', 'Done', 'offshoot continue x'], 22, margins)).toEqual([
    '● main · Done',
    '    offshoot continue',
    '      x',
  ])
})

test('a pipe takes lines of any length, and a terminal of unknown width 80 columns', () => {
  const columns = (stdout: object) => outputColumns({ stdout: stdout as NodeJS.WriteStream })
  expect([columns({}), columns({ isTTY: true }), columns({ isTTY: true, columns: 50 })]).toEqual([
    Infinity,
    80,
    50,
  ])
})
