import { sortArguments } from './arguments.ts'
import type { Field } from './field.ts'
import { isStatic, staticField } from './field.ts'
import type { Inner, Invocation, Reading, Stdin } from './reading.ts'
import { caution, merge, optionCautions, reading, unknownInner, uses } from './reading.ts'
import { suspectTexts } from './suspects.ts'

/** true: uses the grammar that we parse; false: its scripts cannot be read. */
export const shells: ReadonlyMap<string, boolean> = new Map([
  ['sh', true],
  ['bash', true],
  ['dash', true],
  ['ash', true],
  ['rbash', true],
  ['zsh', false],
  ['ksh', false],
  ['mksh', false],
  ['fish', false],
  ['csh', false],
  ['tcsh', false],
  ['pwsh', false],
  ['nu', false],
  ['xonsh', false],
  ['elvish', false],
])

const OPTIONS = {
  flags: 'abefhiklmnprtuvxBCEHPTcs',
  longs: 'login norc noprofile posix verbose version help noediting restricted',
  values: 'o O',
  ordered: true,
}

const COMPUTED = 'passes a shell text that is unknown in advance'

/** `sh -c TEXT`, `sh FILE`, and text on stdin: each command inside is decided separately. */
export function readShell(command: Invocation): Reading {
  const found = sortArguments(command.args.map(asOption), OPTIONS)
  const given = new Set(found.options.map((option) => option.name))
  const cautions = merge(
    optionCautions(command.program, found.unknown),
    undoesNoRun(command, given),
    found.unknown.length > 0 || found.doubtful ? hiddenText(command) : reading({}),
  )
  if (given.has('--version') || given.has('--help')) return cautions
  // its options are not those of a POSIX shell: any of them may hold a command
  if (shells.get(command.program) === false && command.args.length > 0)
    return merge(cautions, hiddenText(command))
  if (given.has('-c')) return merge(cautions, givenText(command, found.operands))
  return merge(
    cautions,
    given.has('-s') ? inner(fromStdin(command.stdin), command) : file(command, found.operands[0]),
  )
}

/** `+o posix` disables what `-o posix` enables. */
function asOption(field: Field): Field {
  return /^\+[a-zA-Z]/.test(field.text) && isStatic(field) ? staticField(`-${field.text.slice(1)}`) : field
}

/** `-n` checks a script without running it; these options cancel that. A pattern for `bash -n*` does not cover them. */
function undoesNoRun({ args }: Invocation, given: ReadonlySet<string>): Reading {
  if (!args.some(({ text }) => /^-[a-zA-Z]*n/.test(text))) return reading({})
  const undone =
    args.some(({ text }) => text.startsWith('+')) || ['-i', '-o', '-O', '-s'].some((name) => given.has(name))
  return undone ? caution('has an option that may undo -n') : reading({})
}

/** An unknown option may consume the next word, so any word may be the script text. */
function hiddenText({ program, args }: Invocation): Reading {
  return merge(
    unknownInner(`has an option of ${program} that may hide what it runs`),
    reading({ suspects: suspectTexts(args) }),
  )
}

function givenText(command: Invocation, operands: readonly Field[]): Reading {
  const [first] = operands
  const known = first !== undefined && isStatic(first)
  const text = inner(known ? { type: 'script', text: first.text } : unknown(COMPUTED), command)
  return merge(text, reading({ aliases: [operands.slice(1), operands.slice(2)] }))
}

const INPUT = /^(-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0)$/

function file(command: Invocation, script: Field | undefined): Reading {
  if (script === undefined || INPUT.test(script.text)) return inner(fromStdin(command.stdin), command)
  const hidden = !isStatic(script) || /^\/(dev|proc)\//.test(script.text)
  return hidden ? inner(unknown(COMPUTED), command) : uses('read', [script])
}

function fromStdin(stdin: Stdin): Inner {
  return stdin.type === 'text'
    ? { type: 'script', text: stdin.text }
    : unknown('runs commands that a shell reads from its input')
}

function unknown(reason: string): Inner {
  return { type: 'unknown', reason }
}

function inner(found: Inner, command: Invocation): Reading {
  const other = shells.get(command.program) !== true
  return merge(
    reading({ inner: [found] }),
    other ? unknownInner('is a script for another shell') : reading({}),
    other ? caution('is a script for another shell') : reading({}),
  )
}
