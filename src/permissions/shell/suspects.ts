import { UNKNOWN } from '../match-pattern.ts'
import type { Field } from './field.ts'
import { joinText } from './field.ts'

const MAX_LENGTH = 300

/** What may come before the name of a command in another text. */
const STARTS = /(?<=^|[\s;|&(){}`"'=!,:@<>[/])[^\s;|&(){}`"'=!,:@<>[/-]/g
const ENDING = /["'`);\]}|&<>].*$/s

/** More text than this, and more starts of commands, are not looked through: it may be any command. */
const MAX_TEXT = 4096
const MAX_STARTS = 200

/**
 * Every command that a program may find in its arguments, from each word on and from inside of texts. Rules that ask or
 * deny one of these make an allow ask. UNKNOWN alone: any command.
 */
export function suspectTexts(args: readonly Field[]): readonly string[] {
  const text = joinText(args)
  if (text.length > MAX_TEXT) return [UNKNOWN]
  const starts = [...text.matchAll(STARTS)]
  if (starts.length > MAX_STARTS) return [UNKNOWN]
  const rests = starts.map(({ index }) => text.slice(index, index + MAX_LENGTH))
  return [...new Set(rests.flatMap((rest) => [rest, rest.replace(ENDING, '').trimEnd()]))]
}
