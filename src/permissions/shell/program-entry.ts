import type { OptionTable } from './arguments.ts'
import type { WalkTable } from './directory-walks.ts'

/**
 * A program whose command line shows what it does. Listed options do not write a file other than an operand, run a
 * program or use the network; any other option asks. To add a program, list the harmless options of its manual and say
 * what its operands are.
 */
export interface Program extends OptionTable {
  readonly operands:
    | 'text' // not files
    | 'read'
    | 'write' // made or changed
    | 'remove'
    | 'copy' // read, and the last one written
    | 'edit' // read and changed
    | 'move' // read and changed, and the last one only changed
    | 'script' // a text first, unless an option holds it; then files that are read
    | 'zip' // the archive, then what goes into it
    | 'output' // the first is read, a second one is written though the name does not say so
  /** Options of an `operands: 'script'` program that hold the text. */
  readonly scriptOptions?: string
  /** A file name that looks like an option changes what the program does, so globs ask. */
  readonly globs?: 'ask'
  /** Words that start with `+` are commands to the program. */
  readonly pluses?: boolean
  /** `host:path` operands are on another machine. */
  readonly addresses?: boolean
  /** Some options run programs. */
  readonly runs?: boolean
  /** How the program walks directories. */
  readonly walks?: WalkTable
}
