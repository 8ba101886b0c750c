import { UNKNOWN } from '../match-pattern.ts'
import type { Field } from './field.ts'
import { joinText } from './field.ts'

const MAX_LENGTH = 300

/** Characters that may precede a command name inside other text. */
const STARTS = /(?<=^|[\s;|&(){}`"'=!,:@<>[/])[^\s;|&(){}`"'=!,:@<>[/-]/g
const ENDING = /["'`);\]}|&<>].*$/s

/** Longer text, or more possible commands, may be any command. */
const MAX_TEXT = 4096
const MAX_STARTS = 200

/**
 * Every command that a program may find in its arguments, starting at each word and inside texts. Ask and deny rules
 * for one of them make an allow ask. UNKNOWN alone: any command.
 */
export function suspectTexts(args: readonly Field[]): readonly string[] {
  const text = joinText(args)
  if (text.length > MAX_TEXT) return [UNKNOWN]
  const starts = [...text.matchAll(STARTS)]
  if (starts.length > MAX_STARTS) return [UNKNOWN]
  const rests = starts.map(({ index }) => text.slice(index, index + MAX_LENGTH))
  return [...new Set(rests.flatMap((rest) => [rest, rest.replace(ENDING, '').trimEnd()]))]
}
