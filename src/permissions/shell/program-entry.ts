import type { OptionTable } from './arguments.ts'
import type { WalkTable } from './directory-walks.ts'

/**
 * A program whose command line says what it does. Listed options neither write a file that is not an operand, nor run a
 * program, nor use the network; any other option asks. To add a program: its harmless options from its manual, and what
 * its operands are.
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
  /** A file name that looks like one of its options makes it do something else: globs ask. */
  readonly globs?: 'ask'
  /** Words that begin with `+` are commands to it. */
  readonly pluses?: boolean
  /** `host:path` operands are elsewhere. */
  readonly addresses?: boolean
  /** Some of its options run programs. */
  readonly runs?: boolean
  /** How it takes whole directories. */
  readonly walks?: WalkTable
}
