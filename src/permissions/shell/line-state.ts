import type { Command, CommandArgument } from 'unbash'
import type { Directories } from './directories.ts'
import type { Stdin } from './reading.ts'

/** The state of the shell at one part of a command line. */
export interface LineScope {
  /** Relative to the workspace; null: unknown. */
  directories: Directories
  /** Names that are certain to be assigned before this part. */
  readonly certain: Set<string>
  /** Nesting depth of scripts within scripts. */
  readonly depth: number
  readonly stdin: Stdin
}

export function copy(scope: LineScope): LineScope {
  return { ...scope, certain: new Set(scope.certain) }
}

const DECLARING: ReadonlySet<string> = new Set(['export', 'declare', 'typeset', 'local', 'readonly'])

/** Records names that a command assigns in the shell itself: after it, they certainly have a value from the line. */
export function rememberAssigned(node: Command, scope: LineScope) {
  if (node.name === undefined) for (const prefix of node.prefix) remember(prefix, scope)
  for (const arg of DECLARING.has(node.name?.value ?? '') ? node.args : []) remember(arg, scope)
}

function remember(node: Command['prefix'][number] | CommandArgument, scope: LineScope) {
  if (node.type === 'Assignment' && node.append !== true && node.index === undefined)
    scope.certain.add(node.name)
}
