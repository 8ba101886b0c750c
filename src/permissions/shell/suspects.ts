import type { Field } from './field.ts'
import { joinText } from './field.ts'

const MAX_LENGTH = 300

/** What may come before the name of a command in another text. */
const STARTS = /(?<=^|[\s;|&(){}`"'=!,:@<>[/])[^\s;|&(){}`"'=!,:@<>[/-]/g
const ENDING = /["'`);\]}|&<>].*$/s

/**
 * Every command that a program may find in its arguments, from each word on and from inside of texts. Rules that ask or
 * deny one of these make an allow ask; `skip`: words at the start that are surely no command.
 */
export function suspectTexts(args: readonly Field[], skip = 0): readonly string[] {
  const text = joinText(args)
  const from = skip === 0 ? 0 : joinText(args.slice(0, skip)).length
  const found = new Set<string>()
  for (const { index } of text.matchAll(STARTS)) {
    if (index < from) continue
    const rest = text.slice(index, index + MAX_LENGTH)
    found.add(rest)
    found.add(rest.replace(ENDING, '').trimEnd())
  }
  return [...found]
}
