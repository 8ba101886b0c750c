import { sortArguments } from './arguments.ts'
import { isStatic } from './field.ts'
import type { Inner, Invocation, Reading, Stdin } from './reading.ts'
import { caution, merge, optionCautions, reading, unknownInner, uses } from './reading.ts'

/** true: speaks the grammar that we parse; false: what it is given cannot be read. */
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

const COMPUTED = 'gives a shell a text that is not known before it runs'

/** `sh -c TEXT`, `sh FILE`, and text on stdin: each command inside is decided by itself. */
export function readShell(command: Invocation): Reading {
  const found = sortArguments(command.args, OPTIONS)
  const given = new Set(found.options.map((option) => option.name))
  const [first] = found.operands
  const cautions = optionCautions(command.program, found.unknown)
  if (given.has('--version') || given.has('--help')) return cautions
  if (given.has('-c')) {
    const known = first !== undefined && isStatic(first)
    const text = inner(known ? { type: 'script', text: first.text } : unknown(COMPUTED), command)
    return merge(cautions, text, reading({ aliases: [found.operands.slice(1), found.operands.slice(2)] }))
  }
  if (first === undefined || given.has('-s')) return merge(cautions, inner(fromStdin(command.stdin), command))
  if (!isStatic(first) || /^(\/dev\/|\/proc\/|-$)/.test(first.text)) {
    return merge(cautions, inner(fromStdin(command.stdin), command))
  }
  return merge(cautions, uses('read', [first]))
}

function fromStdin(stdin: Stdin): Inner {
  return stdin.type === 'text'
    ? { type: 'script', text: stdin.text }
    : unknown('runs what a shell reads from its input')
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
