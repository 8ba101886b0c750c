import type { Command } from 'commander'
import { takesText } from './help.ts'

/** What the command parser says, as our own errors are written: with one kind of quotes, and what to do about it. */
export function parserMessage(text: string, program: Command): string {
  const message = text.replace(/^error: /, '').replaceAll(/(?<=^| )'(.*?)'(?=[\s.:]|$)/gm, '"$1"')
  const hint = unquotedHint(message, program)
  return `offshoot: ${message}${hint === undefined ? '' : `  ${hint}\n`}`
}

/** A prompt without quotes is many words, and options before the command make its name the first of them. */
function unquotedHint(message: string, program: Command): string | undefined {
  const [, name, first] =
    /^too many arguments for "(.*?)"\. Expected \d+ arguments? but got \d+: (.*?)(?:, |\.$)/m.exec(message) ??
    []
  const command = program.commands.find((each) => each.name() === name)
  if (!command || !takesText(command)) return undefined
  if (name === 'run' && first !== undefined && /^(?:run|exec|e)$/.test(first))
    return `put options behind the command: offshoot ${first} -m MODEL "PROMPT"`
  return 'put a text of several words in quotes: "where is the port"'
}
