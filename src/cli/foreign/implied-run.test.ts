import { afterAll, describe, expect, test } from 'vitest'
import { TestUser } from '../../../test/support/test-user.ts'
import { FIRST_SCREEN } from '../first-screen.ts'
import { impliedRun } from './implied-run.ts'

const COMMANDS = new Set(['run', 'ls', 'ps', 'continue'])

test.each<[args: string[], line: string[]]>([
  [['where is it?'], ['run', 'where is it?']],
  [
    ['where is it?', '--mode', 'plan'],
    ['run', 'where is it?', '--mode', 'plan'],
  ],
  [
    ['--mode', 'plan', 'where'],
    ['run', '--mode', 'plan', 'where'],
  ],
  [
    ['--', 'where', 'is', 'it'],
    ['run', '--', 'where is it'],
  ],
  [
    ['-m', 'x', '--', 'ls'],
    ['run', '-m', 'x', '--', 'ls'],
  ],
  [['-'], ['run', '-']],
  [
    ['-p', 'ls'],
    ['run', '-p', 'ls'],
  ],
  [
    ['--debug', 'where is it?'],
    ['--debug', 'run', 'where is it?'],
  ],
  [
    ['exec', 'fix', '--json'],
    ['run', 'fix', '--json'],
  ],
  [
    ['resume', 'cnv_1', 'go on'],
    ['run', '--resume', 'cnv_1', 'go on'],
  ],
  [
    ['exec', 'resume', '--last', 'go on'],
    ['run', '--continue', 'go on'],
  ],
  [['where'], ['where']],
  [['ls'], ['ls']],
  [['-v'], ['-v']],
  [['-p'], ['run', '-p']],
  [['--help'], ['--help']],
  [
    ['--debug', 'ls'],
    ['--debug', 'ls'],
  ],
  [[''], ['']],
])('%j is %j', (args, line) => {
  expect(impliedRun(args, COMMANDS)).toEqual(line)
})

test('options before a command are no prompt with the name of the command', () => {
  expect(() => impliedRun(['-C', 'x', 'ls'], COMMANDS)).toThrow('-C precedes the command ls')
})

test.each(['--mode=auto', '--allow=bash', '-C/', '--yolo', '--nonsense'])(
  'the option %s alone is no prompt, and makes no prompt of stdin',
  (option) => {
    expect(() => impliedRun([option], COMMANDS)).toThrow('is read as an option, but there is no prompt')
    expect(impliedRun([option, '-'], COMMANDS)).toEqual(['run', option, '-'])
  },
)

test.each(['-c', '--continue', '-r', '--resume'])(
  '%s alone takes the prompt from stdin or the terminal',
  (option) => {
    expect(impliedRun([option], COMMANDS)).toEqual(['run', option])
  },
)

const user = new TestUser()
afterAll(() => user.remove())

describe('a line without a command', () => {
  test('asks what stands between quotes', async () => {
    const model = user.script({ '*': [{ text: 'here' }] })
    expect(await user.call(['where is it?', '-m', model])).toMatchObject({ code: 0, stdout: 'here\n' })
    expect(user.rows('SELECT title FROM conversations')).toEqual([{ title: 'where is it?' }])
  })

  test('stays an unknown command where it is one word, with the nearest one', async () => {
    const { code, stdout, stderr } = await user.call(['contine'])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^offshoot: unknown command "contine"\n\(Did you mean continue\?\)\n/)
  })
})

test('bare offshoot on a terminal is one screen that starts with what to type', async () => {
  const program = user.terminal([], { columns: 80 })
  const { code, stdout } = await program.ended
  expect(code).toBe(0)
  expect(stdout.replaceAll('\r', '')).toBe(FIRST_SCREEN)
  const lines = FIRST_SCREEN.trimEnd().split('\n')
  expect(lines.length).toBeLessThan(24)
  expect(lines.filter((line) => line.length > 80)).toEqual([])
  expect(lines[0]).toMatch(/^offshoot "/)
})
