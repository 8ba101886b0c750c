import { terminalLine } from '../../core/terminal-text.ts'
import { writeStderr, type Io } from '../io.ts'

/** Says on stderr that a list is empty, and what to do next. Stdout stays empty: a program that reads it sees no rows. */
export function noteEmpty(io: Io, what: string, next: string): Promise<void> {
  return writeStderr(io, `offshoot: ${terminalLine(what)}\n  ${terminalLine(next)}\n`)
}
