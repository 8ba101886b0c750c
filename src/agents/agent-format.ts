import type { ParsedDefinition } from './parse-definition.ts'

/** One agent of a file. */
export type ParsedPart = ParsedDefinition & {
  /** Which one, where the file may hold several: `agent reviewer`. */
  readonly part?: string
}

/** The programs whose agent files are read. */
export const FOREIGN_FORMATS = ['claude', 'opencode', 'codex', 'gemini', 'cursor', 'copilot'] as const
export type ForeignFormat = (typeof FOREIGN_FORMATS)[number]
/** `offshoot` is ours. */
export const FORMATS = ['offshoot', ...FOREIGN_FORMATS] as const
export type FormatName = (typeof FORMATS)[number]

/** A kind of agent file. Each program whose files are read has one, in a file of its own. */
export interface AgentFormat {
  readonly name: FormatName
  /** Never throws. `path` is the file's, for a name that stands nowhere else. */
  parse(text: string, path: string): readonly ParsedPart[]
}

/** Where agents may lie. */
export interface AgentLocation {
  /** Absolute; need not exist. */
  readonly path: string
  /** The program that its files are written for. */
  readonly format: FormatName
  /** A directory with all below it, a directory alone, or one file. */
  readonly kind: 'tree' | 'directory' | 'file'
  /** Nothing outside of this directory is read, wherever links lead: anybody may have made those of a project. */
  readonly within?: string
}
