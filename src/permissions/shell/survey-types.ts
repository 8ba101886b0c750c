import type { Caution, WrappedText } from '../item.ts'
import type { Directories } from './directories.ts'
import type { Field, FileUse } from './field.ts'

/** A simple command that the line runs. */
export interface SurveyedCommand {
  readonly text: string
  /** Spellings that only rules that forbid or ask see. */
  readonly aliases: readonly string[]
  /** null: all of it is known. */
  readonly uncertain: string | null
  /** Further spellings that an allow may be written for. */
  readonly plain: readonly string[]
  readonly wrapped: readonly WrappedText[]
  readonly suspects: readonly string[]
  readonly cautions: readonly Caution[]
  readonly guards: readonly string[]
  readonly fields: readonly Field[]
}

/** A file that the line names, from each of the directories that the command may run in. */
export interface SurveyedFile extends FileUse {
  /** null: not known. */
  readonly directories: Directories
  /** By a redirection, which a rule for the command does not cover. */
  readonly redirected: boolean
}

/** All that a command line runs and touches. */
export interface Survey {
  readonly commands: readonly SurveyedCommand[]
  readonly files: readonly SurveyedFile[]
  /** Of the whole line. */
  readonly cautions: readonly Caution[]
  /** Why no rule may allow it; completes "asks because the command ...". */
  readonly problem: string | null
}
