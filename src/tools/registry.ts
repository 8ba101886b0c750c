import { OffshootError } from '../core/errors.ts'
import type { AnyTool } from './port.ts'
import { toolSchema, type ToolDescription } from './tool-schema.ts'

/** The tools of one conversation, or of one agent in it. */
export interface Registry {
  /** By name or alternative name; case and underscores do not matter. */
  get(name: string): AnyTool | undefined
  list(): readonly AnyTool[]
  /**
   * The tools that an agent may call. Accepts tools, toolsets, alternative names and `*`; ignores unknown names.
   * `Bash(git *)` names the tool; in a deny list it removes nothing here, because it is a rule.
   */
  forAgent(names?: readonly string[], disallowed?: readonly string[]): Registry
  /** Entries of such a list that match neither a tool nor a toolset. */
  unknownNames(names: readonly string[]): readonly string[]
  schema(tool: AnyTool): ToolDescription
}

/** @throws OffshootError `config` if two tools have the same name. */
export function createRegistry(tools: readonly AnyTool[]): Registry {
  const byName = indexNames(tools)
  const find = (name: string) => byName.get(name) ?? byName.get(plain(name))
  const select = (name: string): readonly AnyTool[] => {
    if (name === '*') return tools
    const tool = find(name)
    return tool ? [tool] : tools.filter((each) => each.toolset === name)
  }
  return {
    get: find,
    list: () => tools,
    forAgent: (names, disallowed = []) => {
      const wanted = new Set(names === undefined ? tools : names.flatMap((name) => select(toolName(name))))
      const unwanted = new Set(disallowed.flatMap(select))
      return createRegistry(tools.filter((tool) => wanted.has(tool) && !unwanted.has(tool)))
    },
    unknownNames: (names) =>
      names.filter((name) => toolName(name) !== '*' && select(toolName(name)).length === 0),
    schema: toolSchema,
  }
}

function indexNames(tools: readonly AnyTool[]): ReadonlyMap<string, AnyTool> {
  const byName = new Map<string, AnyTool>()
  for (const tool of tools) {
    if (byName.has(tool.name)) throw new OffshootError('config', `two tools are named "${tool.name}"`)
    byName.set(tool.name, tool)
  }
  for (const tool of tools) {
    for (const alias of [tool.name, ...(tool.aliases ?? [])]) {
      const key = plain(alias)
      if (!byName.has(key)) byName.set(key, tool)
    }
  }
  return byName
}

/** A name reduced to the characters that matter for comparison. */
export function plain(name: string): string {
  return name.trim().toLowerCase().replace(/[_.-]/g, '')
}

function toolName(entry: string): string {
  return entry.replace(/\(.*$/s, '').trim()
}
