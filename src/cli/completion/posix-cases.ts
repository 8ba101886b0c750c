import { unreachable } from '../../core/errors.ts'
import type { CompletedKind, CommandEntry, Values } from './command-table.ts'
import { valueCases, commandWalkOf } from './command-walk.ts'

/** What differs between bash and zsh: the commands that offer something. */
export interface Offers {
  words(list: readonly Word[]): string
  ask(what: CompletedKind): string
  readonly files: string
  readonly directories: string
}

export interface Word {
  readonly word: string
  readonly about: string
}

/** The branches of the `case`s of a script for bash or zsh, each on a line of its own. */
export interface PosixCases {
  /** The pattern of options whose next word is their value. */
  readonly valued: string
  /** Of `COMMAND:WORD`: sets `at`. */
  readonly steps: string
  /** Of `COMMAND:OPTION` whose value is to be completed. */
  readonly values: string
  /** Of `COMMAND`: offers options. */
  readonly options: string
  /** Of `COMMAND:PLACE`, places counted from 0. */
  readonly places: string
}

export function posixCases(table: readonly CommandEntry[], offers: Offers): PosixCases {
  const { valued, steps } = commandWalkOf(table)
  const options = ({ path, options }: CommandEntry): Branch => {
    const list = options.flatMap(({ flags, about }) => flags.map((word) => ({ word, about })))
    return [quoted(path), offers.words(list)]
  }
  return {
    valued: anyOf(valued),
    steps: branches(steps.map(({ patterns, to }) => [anyOf(patterns), `at=${quoted(to)}`])),
    values: branches(
      valueCases(table).map(({ patterns, to }) => [anyOf(patterns), offer(to, offers)] as const),
    ),
    options: branches(table.map(options)),
    places: branches(table.flatMap((entry) => places(entry, offers))),
  }
}

/** A word between single quotes. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

type Branch = readonly [pattern: string, command: string]

function places({ path, commands, places, repeats }: CommandEntry, offers: Offers): Branch[] {
  if (commands.length > 0) {
    const list = commands.map(({ name, about }) => ({ word: name, about }))
    return [[quoted(`${path}:0`), offers.words(list)]]
  }
  return places.map((values, place) => {
    const any = repeats && place === places.length - 1
    return [any ? `${quoted(`${path}:`)}*` : quoted(`${path}:${place}`), offer(values, offers)]
  })
}

function offer(values: Values, offers: Offers): string {
  switch (values.type) {
    case 'words':
      return offers.words(values.words.map((word) => ({ word, about: '' })))
    case 'ask':
      return offers.ask(values.what)
    case 'file':
      return offers.files
    case 'directory':
      return offers.directories
    case 'free':
      return ''
    default:
      return unreachable(values)
  }
}

function branches(cases: readonly Branch[]): string {
  return cases
    .filter(([, command]) => command !== '')
    .map(([pattern, command]) => `      ${pattern}) ${command} ;;`)
    .join('\n')
}

function anyOf(patterns: readonly string[]): string {
  return patterns.map(quoted).join(' | ')
}
