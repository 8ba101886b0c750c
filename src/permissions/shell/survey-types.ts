import type { Caution, WrappedText } from '../item.ts'
import type { Directories } from './directories.ts'
import type { Field, FileUse } from './field.ts'

/** A simple command that the line runs. */
export interface SurveyedCommand {
  readonly text: string
  /** Spellings that only ask and deny rules match. */
  readonly aliases: readonly string[]
  /** null: fully known. */
  readonly uncertain: string | null
  /** Further spellings that an allow rule may use. */
  readonly plain: readonly string[]
  readonly wrapped: readonly WrappedText[]
  readonly suspects: readonly string[]
  readonly cautions: readonly Caution[]
  readonly guards: readonly string[]
  readonly fields: readonly Field[]
}

/** A file that the line names, relative to each directory in which the command may run. */
export interface SurveyedFile extends FileUse {
  /** null: unknown. */
  readonly directories: Directories
  /** Named by a redirection, which a rule for the command does not cover. */
  readonly redirected: boolean
}

/** Everything that a command line runs and touches. */
export interface Survey {
  readonly commands: readonly SurveyedCommand[]
  readonly files: readonly SurveyedFile[]
  /** Cautions of the whole line. */
  readonly cautions: readonly Caution[]
  /** Why no rule may allow it; completes "asks because the command ...". */
  readonly problem: string | null
}
