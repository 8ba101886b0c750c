import type { ParsedDefinition } from './parse-definition.ts'

/** One agent of a file. */
export type ParsedPart = ParsedDefinition & {
  /** Its name within a file with several agents: `agent reviewer`. */
  readonly part?: string
}

/** Programs whose agent files are read. */
export const FOREIGN_FORMATS = ['claude', 'opencode', 'codex', 'gemini', 'cursor', 'copilot'] as const
export type ForeignFormat = (typeof FOREIGN_FORMATS)[number]
/** `offshoot` is our own. */
export const FORMATS = ['offshoot', ...FOREIGN_FORMATS] as const
export type FormatName = (typeof FORMATS)[number]

/** A kind of agent file. Each supported program has one, in its own file. */
export interface AgentFormat {
  readonly name: FormatName
  /** Never throws. `path` names an agent whose file contains no name. */
  parse(text: string, path: string): readonly ParsedPart[]
}

/** A place for agents. */
export interface AgentLocation {
  /** Absolute; need not exist. */
  readonly path: string
  /** The program whose files it holds. */
  readonly format: FormatName
  /** A directory with everything below, a directory alone, or one file. */
  readonly kind: 'tree' | 'directory' | 'file'
  /** Nothing outside of this directory is read, wherever links lead: anybody may have made those of a project. */
  readonly within?: string
}
