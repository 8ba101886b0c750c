import { expect, test } from 'vitest'
import {
  bashRule,
  callOf,
  decide,
  decideCommand,
  levelOf,
  PLAIN_FILES,
} from '../fixtures/example-workspace.ts'
import { suspectTexts } from './suspects.ts'
import { staticField } from './field.ts'
import { surveyScript } from './survey-script.ts'

const rules = [bashRule('allow *'), bashRule('deny touch *')]

test.each([
  ['a megabyte of separators', ';'.repeat(1024 * 1024)],
  ['200 nested substitutions', `echo ${'$('.repeat(200)}x${')'.repeat(200)}`],
  ['an unbalanced quote', `echo '${'a'.repeat(60_000)}`],
  ['unclosed quotes', '"'.repeat(60_001)],
  ['NUL', 'ls\0'.repeat(1000)],
  ['lone surrogates', 'echo \ud800'.repeat(1000)],
  ['more words than the limit', `foo ${'a '.repeat(490)}`],
  ['words that are too long', `foo ${'/a'.repeat(30_000)}`],
])('%s: asks', (_, command) => {
  expect(decideCommand(command, rules).action).toBe('ask')
})

test.each([
  ['sed', `sed '${'a\\\n'.repeat(15_000)}' f`],
  ['awk', `awk '${'/'.repeat(59_000)}' f`],
  ['sqlite3', `sqlite3 :memory: '${'vacuum '.repeat(8000)}'`],
])('a script for %s over the limit asks', (_, command) => {
  expect(decideCommand(command, rules).action).toBe('ask')
})

test('tar with more directories than the limit may reach any file', () => {
  const denied = { tool: 'read', pattern: 'secrets/**', action: 'deny' } as const
  const command = (count: number) => `tar cf x.tar ${'-C src b '.repeat(count)}`
  expect(decideCommand(command(2), [bashRule('allow *'), denied]).action).toBe('allow')
  expect(decideCommand(command(150), [bashRule('allow *'), denied]).action).toBe('ask')
})

test('text over the limit is not parsed', () => {
  const survey = surveyScript(';'.repeat(1024 * 1024), '/repo')
  expect(survey.commands).toEqual([])
  expect(survey.problem).toMatch(/longer than/)
})

test('the number of commands found in arguments is bounded', () => {
  const words = (count: number) => Array.from({ length: count }, (_, at) => staticField(`w${at}`))
  expect(suspectTexts(words(50))).toHaveLength(50)
  expect(suspectTexts(words(5000))).toEqual(['\0'])
  expect(suspectTexts([staticField('a,'.repeat(30_000))])).toEqual(['\0'])
})

test('a line with many searches lists a directory once', () => {
  let looks = 0
  const call = callOf('bash', 'grep -r x .; '.repeat(40), PLAIN_FILES)
  const filesBelow = (path: string) => {
    looks += 1
    return call.filesBelow?.(path) ?? null
  }
  expect(decide({ ...call, filesBelow }, [levelOf('user config', rules)]).action).toBe('allow')
  expect(looks).toBe(1)
})
