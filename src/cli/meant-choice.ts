import { InvalidArgumentError, type Argument, type Command, type Option } from 'commander'
import { nearestName } from '../core/nearest-name.ts'
import { allCommands } from './help.ts'

/** What other programs, and people, call the choices of ours. A word never stands for a choice that allows more. */
const OTHER_WORDS: Readonly<Record<string, readonly string[]>> = {
  markdown: ['md', 'text'],
  htm: ['html'],
  web: ['html'],
  txt: ['text', 'md'],
  text: ['md'],
  plain: ['text', 'md'],
  human: ['text', 'md'],
  pretty: ['text', 'md'],
  json: ['stream-json'],
  jsonl: ['stream-json', 'json'],
  ndjson: ['stream-json', 'json'],
  stream: ['stream-json'],
  streaming: ['stream-json'],
  on: ['required'],
  yes: ['required'],
  true: ['required'],
  enabled: ['required'],
  strict: ['required'],
  no: ['off', 'deny'],
  none: ['off'],
  false: ['off'],
  disabled: ['off'],
  default: ['ask'],
  manual: ['ask'],
  readonly: ['plan'],
  edits: ['accept-edits'],
  never: ['deny'],
  onrequest: ['wait'],
  untrusted: ['wait'],
  ask: ['wait'],
  session: ['conversation'],
  workspace: ['project'],
  directory: ['project'],
  repo: ['project'],
  done: ['completed'],
  finished: ['completed'],
  succeeded: ['completed'],
  success: ['completed'],
  error: ['failed'],
  active: ['running'],
  inprogress: ['running'],
  aborted: ['cancelled'],
  stopped: ['cancelled'],
  pending: ['queued'],
  blocked: ['waiting'],
  claudecode: ['claude'],
}

/** The choice that was probably meant: spelled otherwise, called otherwise, or misspelled. */
export function meantChoice(typed: string, choices: readonly string[]): string | undefined {
  const bare = lettersOf(typed)
  const words = Object.hasOwn(OTHER_WORDS, bare) ? OTHER_WORDS[bare]! : []
  return (
    choices.find((choice) => bare !== '' && lettersOf(choice) === bare) ??
    words.find((word) => choices.includes(word)) ??
    nearestName(typed, choices)
  )
}

function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z]/g, '')
}

/** The error for a value that an option or argument does not have names the one that was probably meant. */
export function suggestChoices(program: Command): void {
  for (const command of allCommands(program))
    for (const each of [...command.options, ...command.registeredArguments]) suggestFor(each)
}

function suggestFor(each: Option | Argument): void {
  const { argChoices, parseArg } = each
  if (!argChoices || !parseArg) return
  each.argParser((typed: string, before: unknown) => {
    try {
      return parseArg(typed, before as never)
    } catch (error) {
      const meant = error instanceof InvalidArgumentError ? meantChoice(typed, argChoices) : undefined
      if (meant === undefined) throw error
      throw new InvalidArgumentError(`Did you mean ${meant}? ${(error as Error).message}`)
    }
  })
}
