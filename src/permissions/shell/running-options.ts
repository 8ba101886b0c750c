import type { Field } from './field.ts'
import type { Reading } from './reading.ts'
import { merge, optionCautions, reading, unknownInner } from './reading.ts'

/** Options that take a program, in any program: GNU's `--diff-program`, go's `--toolexec`, nm's `--plugin`. */
const RUNNING =
  /^--?(?!-|(no|without|disable|skip|ignore|list|show)-)([\w-]+-)?(exec|execute|execdir|toolexec|exec-batch|program|prog|plugin|pager|editor|command|cmd|rsh|eval|hook|wrapper|preload|interpreter|askpass|preprocessor|post-renderer|on-[a-z]+)$/

/**
 * Options that name a program, for programs without a strict table. `-e` and `-x` count only before a word that looks
 * like a command.
 */
export function runningOptions(program: string, args: readonly Field[]): Reading {
  const names = args.flatMap(({ text }, at) => {
    const name = text.split('=', 1)[0] ?? ''
    if (name.length > 3 && RUNNING.test(name)) return [name]
    return /^-[ex]$/.test(text) && isCommand(args[at + 1]) ? [name] : []
  })
  if (names.length === 0) return reading({})
  return merge(optionCautions(program, names), unknownInner(`may run another program (${program})`))
}

function isCommand(field: Field | undefined): boolean {
  return field !== undefined && (/\S\s+\S/.test(field.text) || /^\.{0,2}\//.test(field.text))
}
