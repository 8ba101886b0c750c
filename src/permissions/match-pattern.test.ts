import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matchPattern, mayMatchText, UNKNOWN } from './match-pattern.ts'

/** Reference implementation of the definition, in exponential time. */
function oracle(pattern: string, subject: string, kind: 'text' | 'path'): boolean {
  if (pattern === '*') return true
  if (kind === 'text')
    return wild(pattern, subject) || (pattern.endsWith(' *') && wild(pattern.slice(0, -2), subject))
  return (
    path(pattern, subject, true) || (pattern.endsWith('/**') && path(pattern.slice(0, -3), subject, true))
  )
}

function wild(pattern: string, subject: string): boolean {
  if (pattern === '') return subject === ''
  if (pattern[0] === '*')
    return wild(pattern.slice(1), subject) || (subject !== '' && wild(pattern, subject.slice(1)))
  return pattern[0] === subject[0] && wild(pattern.slice(1), subject.slice(1))
}

/** `start`: at the beginning of a name, where `**` followed by `/` may match no directory. */
function path(pattern: string, subject: string, start: boolean): boolean {
  if (pattern === '') return subject === ''
  if (start && pattern.startsWith('**/')) {
    if (path(pattern.slice(3), subject, true)) return true
    const slash = subject.indexOf('/', 1)
    return slash !== -1 && path(pattern, subject.slice(slash + 1), true)
  }
  if (pattern.startsWith('**')) {
    return (
      path(pattern.slice(2), subject, false) || (subject !== '' && path(pattern, subject.slice(1), false))
    )
  }
  const [first] = subject
  if (pattern[0] === '*') {
    return (
      path(pattern.slice(1), subject, false) ||
      (first !== undefined && first !== '/' && path(pattern, subject.slice(1), false))
    )
  }
  if (first === undefined || (pattern[0] === '?' ? first === '/' : pattern[0] !== first)) return false
  return path(pattern.slice(1), subject.slice(1), first === '/')
}

const text = (alphabet: string, maxLength: number) =>
  fc.array(fc.constantFrom(...alphabet), { maxLength }).map((letters) => letters.join(''))

describe('text patterns', () => {
  test.each([
    ['rm -rf *', 'rm -rf /x/y', true],
    ['rm -rf *', 'rm -rf', true],
    ['git status*', 'git status -s', true],
    ['git status*', 'git stat', false],
    ['npm test', 'npm test -- --run', false],
    ['echo *', 'echo a\nb', true],
    ['*', '', true],
    ['a*b*c', 'a--b--c', true],
    ['ab*ba', 'aba', false],
    ['a.c', 'abc', false],
  ])('%j on %j: %s', (pattern, subject, matched) => {
    expect(matchPattern(pattern, subject, 'text')).toBe(matched)
  })

  test('match the reference implementation', () => {
    fc.assert(
      fc.property(text('ab *', 8), text('ab ', 8), (pattern, subject) => {
        expect(matchPattern(pattern, subject, 'text')).toBe(oracle(pattern, subject, 'text'))
      }),
      { numRuns: 3000 },
    )
  })
})

describe('path patterns', () => {
  test.each([
    ['src/*', 'src/a.ts', true],
    ['src/*', 'src/a/b.ts', false],
    ['src/**', 'src/a/b.ts', true],
    ['src/**', 'src', true],
    ['src/**', 'srcs/a', false],
    ['**/*.ts', 'a.ts', true],
    ['**/*.ts', 'src/deep/a.ts', true],
    ['src/?.ts', 'src/a.ts', true],
    ['src?a.ts', 'src/a.ts', false],
    ['*', 'src/a/.env', true],
    ['src/*', 'src/.hidden', true],
    ['./src/a.ts', 'src/a.ts', true],
    ['a/**/b', 'a/b', true],
    ['a/**/b', 'a/x/y/b', true],
    ['a/**/b', 'a/xb', false],
  ])('%j on %j: %s', (pattern, subject, matched) => {
    expect(matchPattern(pattern, subject, 'path')).toBe(matched)
  })

  test('match the reference implementation on paths', () => {
    const pathText = fc
      .array(
        text('ab', 3).filter((name) => name !== ''),
        { minLength: 1, maxLength: 4 },
      )
      .map((names) => names.join('/'))
    fc.assert(
      fc.property(text('ab/*?', 7), pathText, (pattern, subject) => {
        expect(matchPattern(pattern, subject, 'path')).toBe(oracle(pattern, subject, 'path'))
      }),
      { numRuns: 3000 },
    )
  })
})

test('an absent pattern matches everything of every kind', () => {
  expect(matchPattern(undefined, 'a/b', 'path')).toBe(true)
  expect(matchPattern(undefined, '', 'text')).toBe(true)
})

test('a pattern may match a command with unknown parts if some value makes it match', () => {
  fc.assert(
    fc.property(
      text('ab *', 6),
      text('ab ', 4),
      text('ab ', 3),
      text('ab ', 4),
      (pattern, before, value, after) => {
        if (matchPattern(pattern, before + value + after, 'text')) {
          expect(mayMatchText(pattern, before + UNKNOWN + after)).toBe(true)
        }
      },
    ),
    { numRuns: 3000 },
  )
  expect(mayMatchText('git push*', `git ${UNKNOWN}`)).toBe(true)
  expect(mayMatchText('git push*', `echo ${UNKNOWN}`)).toBe(false)
})

test("a pattern built to backtrack costs at most its length times the subject's", () => {
  const subject = 'a'.repeat(4000)
  expect(matchPattern(`${'a*'.repeat(400)}b`, subject, 'text')).toBe(false)
  expect(matchPattern(`${'**a'.repeat(300)}b`, subject, 'path')).toBe(false)
  expect(mayMatchText(`${'a*'.repeat(400)}b`, subject)).toBe(false)
})
