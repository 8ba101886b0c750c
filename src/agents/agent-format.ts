import type { ParsedDefinition } from './parse-definition.ts'

/** One agent of a file. */
export type ParsedPart = ParsedDefinition & {
  /** Which one, where the file may hold several: `agent reviewer`. */
  readonly part?: string
}

/** A kind of agent file. Each program whose files are read has one, in a file of its own. */
export interface AgentFormat {
  /** The program that the files are written for; `offshoot` is ours. */
  readonly name: string
  /** Ends of the names of its files, with the dot. */
  readonly extensions: readonly string[]
  /** Never throws. `path` is the file's, for a name that stands nowhere else. */
  parse(text: string, path: string): readonly ParsedPart[]
}

/** Where agents may lie. */
export interface AgentLocation {
  /** Absolute; need not exist. */
  readonly path: string
  readonly format: AgentFormat
  /** A directory with all below it, a directory alone, or one file. */
  readonly kind: 'tree' | 'directory' | 'file'
}
