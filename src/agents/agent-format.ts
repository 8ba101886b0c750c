import type { ParsedDefinition } from './parse-definition.ts'

/** A kind of agent file. Each tool whose files are read has one, in a file of its own. */
export interface AgentFormat {
  /** The tool that the files are written for. */
  readonly name: string
  /** Ends of the names of its files, with the dot. */
  readonly extensions: readonly string[]
  /** Never throws. `path` is the file's, for a name that stands nowhere else. */
  parse(text: string, path: string): ParsedDefinition
}

export interface AgentDirectory {
  /** Absolute; need not exist. Read with all its subdirectories. */
  readonly path: string
  readonly format: AgentFormat
}
