import { Option, type Command } from 'commander'
import { runStatuses, type RunStatus } from '../../core/run-status.ts'
import { writeStderr, type Io } from '../io.ts'
import { wholeNumber } from '../number-options.ts'

export interface ListFlags {
  readonly limit?: number
  readonly status?: RunStatus
  readonly search?: string
}

/** Rows of a list on a terminal without `--limit`. */
const TERMINAL_ROWS = 30

export function addListOptions(command: Command, searched: string): Command {
  return command
    .option('--limit <n>', `list at most N; default on a terminal: ${TERMINAL_ROWS}`, wholeNumber)
    .addOption(new Option('--status <status>', 'list only this status').choices(runStatuses))
    .option('--search <text>', `list only matches of this text in ${searched}`)
}

/** Whether one of the texts holds what is searched for, in whatever case. */
export function isFound({ search }: ListFlags, texts: readonly string[]): boolean {
  const wanted = search?.toLowerCase()
  return wanted === undefined || texts.some((text) => text.toLowerCase().includes(wanted))
}

export const FILTERED_HINT = 'leave out --status and --search to list more'

export function isFiltered({ status, search }: ListFlags): boolean {
  return (status ?? search) !== undefined
}

/** What is printed of a list: all of it to a pipe, unless `--limit` says otherwise. Stderr counts what is left out. */
export async function limited<T>(all: readonly T[], { limit }: ListFlags, io: Io): Promise<readonly T[]> {
  const most = limit ?? (io.stdout.isTTY ? TERMINAL_ROWS : all.length)
  const left = all.length - most
  if (left > 0 && limit === undefined)
    await writeStderr(io, `offshoot: ${left} more; --limit ${all.length} lists them\n`)
  return all.slice(0, most)
}
