import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyCharacter } from '../../../test/support/any-character.ts'
import { bashRule, decideCommand, rowsOf } from '../fixtures/example-workspace.ts'
import { MAX_COMMAND_CHARS, readShellScript } from './read-script.ts'
import { surveyScript } from './survey-script.ts'

const commandsOf = (command: string) => surveyScript(command, '/repo').commands.map(({ text }) => text)

test.each([
  ['a && b || c; d | e &', ['a', 'b', 'c', 'd', 'e']],
  ['echo "$(id -u)" `date`', ['echo \0 \0', 'id -u', 'date']],
  ['diff <(sort a) <(sort b)', ['diff \0 \0', 'sort a', 'sort b']],
  ['if a; then b; elif c; then d; else e; fi', ['a', 'b', 'c', 'd', 'e']],
  ["bash -c 'a; b'", ['bash -c a; b', 'a', 'b']],
  [
    'sudo -u x env A=1 timeout 5 ls',
    ['sudo -u x env A=1 timeout 5 ls', 'env A=1 timeout 5 ls', 'timeout 5 ls', 'ls'],
  ],
  ["find . -name '*.ts' -exec grep -l x {} +", ['find . -name *.ts -exec grep -l x {} +', 'grep -l x \0']],
  ['cat <<E\n$(id)\nE', ['cat', 'id']],
  ["cat <<'E'\n$(id)\nE", ['cat']],
  ['f() { a; }; f', ['a', 'f']],
  ["trap 'a b' EXIT", ['trap a b EXIT', 'a b']],
  ['X=ls; $X -a', ['ls -a']],
  ['for f in a b; do cat $f; done', ['cat a', 'cat b']],
  ['cp {a,b}.txt', ['cp a.txt b.txt']],
])('%j runs %j', (command, commands) => {
  expect(commandsOf(command)).toEqual(commands)
})

describe('limits', () => {
  test.each([
    ['too long', `echo ${'a'.repeat(MAX_COMMAND_CHARS)}`],
    ['too many parts', 'a;'.repeat(600)],
    ['too deep', `${'('.repeat(60)}a${')'.repeat(60)}`],
    ['too deep in substitutions', `${'echo $('.repeat(60)}a${')'.repeat(60)}`],
    ['scripts in scripts', `${'xargs '.repeat(60)}ls`],
    ['here-documents', 'cat <<A '.repeat(2000)],
    ['a parser without an end', '\nfunction f '.repeat(6000)],
    ['control characters', 'ls\u0007'],
    ['carriage return', 'ls\r\nrm x'],
    ['hidden direction', 'ls \u202e x'],
    ['unclosed', "echo 'a"],
    ['empty', '  \n '],
  ])('%s: asks whatever the rules allow', (_, command) => {
    expect(decideCommand(command, [bashRule('allow *')]).action).toBe('ask')
    expect(decideCommand(command, [bashRule('allow *'), bashRule('deny *')]).action).toBe('deny')
  })

  test('the number of visited nodes is bounded', () => {
    const found = readShellScript(`echo ${'a '.repeat(400)}`)
    expect(found).toMatchObject({ ok: true })
    expect(readShellScript(`echo ${'a '.repeat(600)}`)).toMatchObject({ ok: false })
    expect(readShellScript('echo a b c', 4)).toMatchObject({ ok: false })
  })
})

const corpus = [
  ...rowsOf<{ command: string }>(
    readFileSync(new URL('../fixtures/bash.jsonl', import.meta.url), 'utf8'),
  ).map(({ command }) => command.slice(0, 2000)),
  ...rowsOf<{ command: string }>(
    readFileSync(new URL('../fixtures/commands.jsonl', import.meta.url), 'utf8'),
  ).map(({ command }) => command),
]
const TOKENS =
  `$( ) \` " ' ; | & && || < > << <<< <( >( { } [[ ]] (( )) $(( \${ x:- @P ! # \\ ~ * ? [ a[ = += $x $@ $'\\x41' eval bash -c
  env sudo xargs find -exec {} + touch PWNED git -c sed awk case esac in if then fi for do done while function coproc time`
    .split(/\s+/)
    .concat(['\n', ' ', '\t', '<<E\n', '\nE\n'])
const rules = [bashRule('allow *'), bashRule('ask git push*'), bashRule('deny touch *')]

function survives(command: string) {
  const { action, why } = decideCommand(command, rules)
  expect(['allow', 'ask', 'deny']).toContain(action)
  expect(why).not.toBe('')
}

test('random commands get a decision and never throw', () => {
  const random = fc.array(fc.constantFrom(...TOKENS), { maxLength: 40 }).map((tokens) => tokens.join(' '))
  fc.assert(fc.property(random, survives), { numRuns: 3000 })
  fc.assert(fc.property(fc.string({ unit: anyCharacter, maxLength: 60 }), survives), { numRuns: 1000 })
})

test('mutated commands get a decision and never throw', () => {
  const mutated = fc
    .tuple(fc.constantFrom(...corpus), fc.nat(), fc.nat({ max: 6 }), fc.constantFrom(...TOKENS))
    .map(([command, at, removed, token]) => {
      const start = at % (command.length + 1)
      return command.slice(0, start) + token + command.slice(start + removed)
    })
  fc.assert(fc.property(mutated, survives), { numRuns: 4000 })
})

test('repeated fragments stay within the limits', () => {
  const repeated = fc
    .array(fc.constantFrom(...TOKENS), { minLength: 1, maxLength: 3 })
    .map((tokens) => tokens.join(' '))
    .map((unit) => unit.repeat(Math.floor(4000 / unit.length)))
  fc.assert(
    fc.property(repeated, (command) => {
      survives(command)
      // A command that is denied, wrapped in whatever, is never allowed.
      expect(surveyScript(command, '/repo').commands.length).toBeLessThanOrEqual(1000)
    }),
    { numRuns: 500 },
  )
})

type Wrap = (command: string) => string

test('no wrapper makes a denied command allowed', () => {
  const prefixes = fc.constantFrom(
    'env -i ',
    'timeout 5 ',
    'nohup ',
    'nice -n 3 ',
    'xargs ',
    'command ',
    'sudo -u x ',
  )
  const innermost = fc.constantFrom('', 'A=1 ', '</dev/null ', '/usr/bin/', '2>&1 ')
  const around = fc.constantFrom<Wrap[]>(
    (command) => `true && ${command}`,
    (command) => `(${command})`,
    (command) => `echo $(${command})`,
    (command) => `bash -c "${command}"`,
    (command) => `eval "${command}"`,
    (command) => `${command} &`,
    (command) => `f() { ${command}; }; f`,
    (command) => `cat <(${command})`,
    (command) => `if true; then ${command}; fi`,
    (command) => `for i in 1; do ${command}; done`,
    (command) => `cat <<E\n$(${command})\nE`,
  )
  const simple = fc.constantFrom('touch PWNED', 't\\ouch a', "'touch'", '$X', '{touch,PWNED}')
  fc.assert(
    fc.property(
      simple,
      innermost,
      fc.array(prefixes, { maxLength: 2 }),
      fc.option(around),
      (command, inner, outer, wrap) => {
        const prefixed = inner.includes(' ') && outer.length > 0 ? command : inner + command
        const line = `X=touch; ${outer.join('')}${prefixed}`
        const wrapped = wrap === null ? line : wrap(line)
        expect(decideCommand(wrapped, rules).action, wrapped).not.toBe('allow')
      },
    ),
    { numRuns: 1500 },
  )
})
