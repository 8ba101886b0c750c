import type { CommandEntry, Values } from './command-table.ts'

/** One branch of a shell's `case`: patterns, none of them with a wildcard, and what they lead to. */
export interface Case<T> {
  readonly patterns: readonly string[]
  readonly to: T
}

/**
 * How a script finds its way through the words before the cursor: it keeps the command that it is at, and looks up
 * `COMMAND:WORD`.
 */
export interface CommandWalk {
  /** Options whose next word is their value. */
  readonly valued: readonly string[]
  /** Words that lead to another command. */
  readonly steps: readonly Case<string>[]
}

export function commandWalkOf(table: readonly CommandEntry[]): CommandWalk {
  return {
    valued: valueCases(table).flatMap(({ patterns }) => patterns),
    steps: table.flatMap(({ path, commands }) =>
      commands.map(({ name }) => ({ patterns: [`${path}:${name}`], to: path ? `${path} ${name}` : name })),
    ),
  }
}

/** `COMMAND:OPTION`, and what may stand as its value. */
export function valueCases(table: readonly CommandEntry[]): Case<Values>[] {
  return table.flatMap(({ path, options }) =>
    options.flatMap(({ flags, values }) =>
      values ? [{ patterns: flags.map((flag) => `${path}:${flag}`), to: values }] : [],
    ),
  )
}
