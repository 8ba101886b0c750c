import type { Command, CommandArgument } from 'unbash'
import type { Directories } from './directories.ts'
import type { Stdin } from './reading.ts'

/** Where a part of the line stands. */
export interface LineScope {
  /** From the workspace; null: not known. */
  directories: Directories
  /** Names that have surely been assigned before. */
  readonly certain: Set<string>
  /** Of scripts in scripts. */
  readonly depth: number
  readonly stdin: Stdin
}

export function copy(scope: LineScope): LineScope {
  return { ...scope, certain: new Set(scope.certain) }
}

const DECLARING: ReadonlySet<string> = new Set(['export', 'declare', 'typeset', 'local', 'readonly'])

/** Names that a command assigns in the shell itself: behind it they surely have a value of the line. */
export function rememberAssigned(node: Command, scope: LineScope) {
  if (node.name === undefined) for (const prefix of node.prefix) remember(prefix, scope)
  for (const arg of DECLARING.has(node.name?.value ?? '') ? node.args : []) remember(arg, scope)
}

function remember(node: Command['prefix'][number] | CommandArgument, scope: LineScope) {
  if (node.type === 'Assignment' && node.append !== true && node.index === undefined)
    scope.certain.add(node.name)
}
