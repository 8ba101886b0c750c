import { forEachChild, parse } from 'unbash'
import type { ParsedScript, SyntaxNode } from 'unbash'

export const MAX_COMMAND_CHARS = 64 * 1024
const MAX_DEPTH = 50
export const MAX_NODES = 500

/** Parse time is quadratic in the number of here-documents. */
const MAX_HEREDOCS = 100

type ScriptReading =
  | { readonly ok: true; readonly script: ParsedScript; readonly nodes: number }
  | { readonly ok: false; readonly problem: string }

/**
 * Parses a command line with a bash grammar, under limits. A problem completes "asks because the command ...". `nodes`
 * is the size of the tree; a caller that also parses inner scripts deducts it from its allowance.
 */
export function readShellScript(command: string, allowance: number = MAX_NODES): ScriptReading {
  const problem = textProblem(command)
  if (problem !== null) return { ok: false, problem }
  const script = parseSafely(command)
  if (script === null) return { ok: false, problem: 'cannot be parsed' }
  const count: Count = { nodes: 0, expanded: 0, problem: null }
  measure(script, 0, count, allowance)
  if (count.problem !== null) return { ok: false, problem: count.problem }
  return { ok: true, script, nodes: count.nodes }
}

/** The parser recurses: some text exhausts the stack before the parser's own limits apply. */
function parseSafely(command: string): ParsedScript | null {
  try {
    return parse(command)
  } catch {
    return null
  }
}

function textProblem(command: string): string | null {
  if (command.trim() === '') return 'is empty'
  if (command.length > MAX_COMMAND_CHARS) return `is longer than ${MAX_COMMAND_CHARS} characters`
  if (command.split('<<').length > MAX_HEREDOCS) return 'has too many parts'
  if (CONTROL.test(command)) return 'contains control characters'
  if (INVISIBLE.test(command)) return 'contains invisible characters'
  return null
}

const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ud800-\udfff]/u
const INVISIBLE = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/u

const MAX_EXPANDED = 2 * MAX_COMMAND_CHARS
const EXPANSIONS: ReadonlySet<string> = new Set([
  'ParameterExpansion',
  'CommandExpansion',
  'ArithmeticExpansion',
  'ProcessSubstitution',
])

interface Count {
  nodes: number
  /** Characters inside expansions: the parser reads them again for each nesting level. */
  expanded: number
  problem: string | null
}

function measure(node: SyntaxNode, depth: number, count: Count, allowance: number) {
  if (count.problem !== null) return
  count.nodes += node.type === 'Literal' ? 0 : 1
  if (EXPANSIONS.has(node.type)) count.expanded += node.end - node.pos
  if (node.type === 'HereDoc' && node.closing === undefined)
    count.problem = 'has a here-document without an end'
  if (node.type === 'Script' && node.errors !== undefined && node.errors.length > 0) {
    count.problem = `cannot be parsed (${node.errors[0]?.message ?? 'syntax error'})`
  } else if (count.nodes > allowance) count.problem = 'has too many parts'
  else if (count.expanded > MAX_EXPANDED) count.problem = 'nests too much text'
  else if (depth > MAX_DEPTH) count.problem = 'is nested too deeply'
  else forEachChild(node, (child) => measure(child, depth + 1, count, allowance))
}
