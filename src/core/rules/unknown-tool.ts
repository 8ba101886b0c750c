import { nearestName } from '../nearest-name.ts'
import { shown } from './quoted-value.ts'
import { plainName, ruleNames, toolsets, toolSpelled } from './tool-names.ts'

/** A tool that is not built in: only a runtime knows its own tools and those of its agents. */
export interface Stranger {
  readonly tool: string
  /** `rule`: exact spelling. `list`: a tool list, where upper case and `_` do not matter. */
  readonly kind: 'rule' | 'list'
  /** Location for the error: `offshoot.jsonc:3: permissions.0.tool`. */
  readonly where: string
}

/** Tools of a runtime besides the built-in ones. */
export interface KnownTools {
  /** Tools and toolsets of a program that uses the library, and agents offered as tools. */
  readonly names: readonly string[]
}

const NAMES: ReadonlySet<string> = new Set(ruleNames)
const toolsetNames: ReadonlySet<string> = new Set(toolsets)

/** Whether every runtime has a tool or toolset of that name. */
export function isProgramTool(name: string, kind: Stranger['kind']): boolean {
  return NAMES.has(name) || (kind === 'list' && toolSpelled(name) !== undefined)
}

/**
 * Why no runtime can have a tool of that name: foreign upper case, or a pattern instead of a name. null: it is known,
 * or a runtime may know it.
 */
export function toolNameProblem(tool: string): string | null {
  if (NAMES.has(tool)) return null
  const ours = ruleNames.find((name) => plainName(name) === plainName(tool))
  if (ours !== undefined) return `there is no tool ${shown(tool)}; did you mean "${ours}"?`
  if (/^[A-Za-z][\w-]{0,63}$/.test(tool)) return null
  if (!tool.includes('*') || isOfServer(tool)) return unknownTool(tool)
  return `${shown(tool)} is not the name of a tool; name one tool, a toolset, or "*" for every tool`
}

/** The error for an unknown tool. */
function unknownTool(tool: string, more: readonly string[] = []): string {
  const known = [...new Set([...ruleNames, ...more])]
  const near = toolSpelled(tool) ?? nearestName(tool, known)
  if (near) return `there is no tool ${shown(tool)}; did you mean "${near}"?`
  if (isOfServer(tool))
    return `there is no tool ${shown(tool)}: MCP servers are not available yet; leave it out`
  const isSet = (name: string) => toolsetNames.has(name)
  const [sets, tools] = [known.filter(isSet), known.filter((name) => !isSet(name))]
  return `there is no tool ${shown(tool)}; tools: ${tools.join(', ')}; toolsets: ${sets.join(', ')}`
}

/** `mcp__github__search`, `mcp_github_*`, `github/search`. */
function isOfServer(tool: string): boolean {
  return /^mcp[_-]/i.test(tool) || /^[\w-]+\//.test(tool)
}

/** The first of these tools that the runtime does not know, as a sentence; null: it knows all. */
export function strangerProblem({ tool, kind }: Stranger, { names }: KnownTools): string | null {
  const same = (name: string) => (kind === 'rule' ? name === tool : plainName(name) === plainName(tool))
  return isProgramTool(tool, kind) || names.some(same) ? null : unknownTool(tool, names)
}
