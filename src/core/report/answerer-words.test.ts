import { expect, test } from 'vitest'
import { answererWords, BY_PROGRAM, BY_RULES, BY_STOP, BY_TIME_LIMIT } from './answerer-words.ts'

test('where a person answered, the words say that it was a person', () => {
  expect(['web 612', 'terminal', 'Ada'].map(answererWords)).toEqual([
    'User (web 612)',
    'User (terminal)',
    'User (Ada)',
  ])
})

test('what nobody answered is in nobody’s name', () => {
  for (const by of [BY_RULES, BY_TIME_LIMIT, BY_STOP, BY_PROGRAM]) expect(answererWords(by)).toBe(by)
})
