import type { Argument, Command, Option } from 'commander'
import { allCommands, commandPath, isListed, LATER } from '../help.ts'

/** What a shell has to know of the command line. Commands and options that are not there yet are not in it. */
export interface CommandEntry {
  /** What is typed for it, without the program's name; empty for the program itself. */
  readonly path: string
  readonly commands: readonly { readonly name: string; readonly about: string }[]
  readonly options: readonly OptionEntry[]
  /** What may stand at each place; the last one repeats where any number may stand. */
  readonly places: readonly Values[]
  readonly repeats: boolean
}

export interface OptionEntry {
  /** `--model` and `-m`. */
  readonly flags: readonly string[]
  readonly about: string
  /** Null where it takes none. */
  readonly values: Values | null
}

export type Values =
  | { readonly type: 'words'; readonly words: readonly string[] }
  /** What `offshoot __complete` prints for it. */
  | { readonly type: 'ask'; readonly what: CompletedKind }
  | { readonly type: 'file' | 'directory' | 'free' }

export const COMPLETED_KINDS = [
  'ids',
  'conversations',
  'branches',
  'runs',
  'items',
  'grants',
  'sessions',
  'agents',
  'models',
] as const
export type CompletedKind = (typeof COMPLETED_KINDS)[number]

/** Made from the program's own commands, so that it never says anything else than they. */
export function completionTable(program: Command): CommandEntry[] {
  return [program, ...allCommands(program)].filter(isThere).map((command) => ({
    path: command === program ? '' : commandPath(command),
    commands: command.commands
      .filter((sub) => isListed(sub) && isThere(sub))
      .map((sub) => ({ name: sub.name(), about: firstClause(sub.description()) })),
    options: [...command.options.filter(isThere).map(optionEntry), HELP],
    places: command.registeredArguments.map((argument) => valuesOf(argument.name(), argument)),
    repeats: command.registeredArguments.at(-1)?.variadic ?? false,
  }))
}

const HELP: OptionEntry = { flags: ['--help', '-h'], about: 'display help', values: null }

function isThere(each: Command | Option): boolean {
  const heading = 'helpGroupHeading' in each ? each.helpGroupHeading : (each as Command).helpGroup()
  const isHidden = 'hidden' in each && each.hidden
  return heading !== LATER && !isHidden
}

function optionEntry(option: Option): OptionEntry {
  const takes = option.required || option.optional
  return {
    flags: [option.long, option.short].filter((flag) => flag !== undefined),
    about: firstClause(option.description),
    values: takes ? valuesOf(nameOfValue(option), option) : null,
  }
}

/** What stands in the brackets; where that says too little, the option itself. */
function nameOfValue({ flags, long }: Option): string {
  return long === '--agent' || long === '--conversation' ? long.slice(2) : /[<[]([^>\]]+)/.exec(flags)![1]!
}

function valuesOf(name: string, { argChoices }: Argument | Option): Values {
  return argChoices ? { type: 'words', words: argChoices } : (NAMED[name] ?? { type: 'free' })
}

const ask = (what: CompletedKind): Values => ({ type: 'ask', what })
const FREE: Values = { type: 'free' }

/** What the names of arguments and of values of options stand for. */
export const NAMED: Readonly<Record<string, Values>> = {
  agent: ask('agents'),
  branch: ask('branches'),
  conversation: ask('conversations'),
  dir: { type: 'directory' },
  file: { type: 'file' },
  id: ask('ids'),
  grant: ask('grants'),
  session: ask('sessions'),
  item: ask('items'),
  path: { type: 'file' },
  question: ask('ids'),
  'provider/model': ask('models'),
  run: ask('runs'),
  // words of one's own
  address: FREE,
  age: FREE,
  message: FREE,
  n: FREE,
  name: FREE,
  'name=value': FREE,
  pattern: FREE,
  prompt: FREE,
  rule: FREE,
  schema: FREE,
  task: FREE,
  text: FREE,
  x: FREE,
}

function firstClause(text: string): string {
  return text.split(/[;:(]/)[0]!.trim()
}
