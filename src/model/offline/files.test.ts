import { describe, expect, test } from 'vitest'
import { fileKind, isCode } from './file-kind.ts'
import { surveyOf } from './files.ts'
import { readQuestion } from './question.ts'
import { codeFilesCall, countCall } from './search-calls.ts'

const { angles } = readQuestion({
  question: 'Where is the quaternion?',
  steers: [],
  earlier: [],
  turns: [],
  data: null,
  turnsBeforeSteer: 0,
  callCount: 0,
})
const angle = angles[0]!
const call = (output: string, failed = false) => [
  { ...countCall(angle.terms[0]!, null), output, failed },
  { ...codeFilesCall(null), output: 'src/a.ts', failed: false },
]

describe('a word is missing', () => {
  test.each([
    ['(no match)', false, true],
    ['docs/quaternion.md:3', false, true],
    ['src/a.ts:1', false, false],
    ['(no match)\n(not searched: secret/: Permission denied)', false, false],
    ['the search took too long', true, false],
  ])('only if every file was searched, and no code holds it: %j, failed: %s', (output, failed, missing) => {
    expect(surveyOf(angle, call(output, failed)).missing.length > 0).toBe(missing)
  })

  test('not in a workspace of texts, if a text holds it', () => {
    expect(surveyOf(angle, call('docs/quaternion.md:3').slice(0, 1)).missing).toEqual([])
  })

  test('not if it was not looked for', () => {
    expect(surveyOf(angle, []).missing).toEqual([])
  })
})

test.each([
  ['src/history.go', 'source'],
  ['HISTORY.md', 'noise'],
  ['CHANGES', 'noise'],
  ['test.c', 'test'],
  ['src/tests.rs', 'test'],
  ['src/latest.rs', 'source'],
  ['src/contest.py', 'source'],
  ['app/tests.py', 'test'],
  ['docs/conf.py', 'docs'],
  ['tool.1', 'docs'],
  ['Makefile.am', 'config'],
  ['vendor/a/a.c', 'foreign'],
  ['examples/a.py', 'example'],
])('%s is %s', (path, kind) => {
  expect(fileKind(path)).toBe(kind)
})

test('the manifest names the program, other settings do not', () => {
  expect(['package.json', 'src/a.c', 'test.c'].filter(isCode)).toHaveLength(3)
  expect(['.github/workflows/ci.yml', 'docs/a.md', 'vendor/a.c', 'yarn.lock'].filter(isCode)).toEqual([])
})
