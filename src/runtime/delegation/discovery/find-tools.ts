import { nearestName } from '../../../core/nearest-name.ts'
import { ToolError, type AnyTool } from '../../../tools/port.ts'
import { plain, type Registry } from '../../../tools/registry.ts'

type Known = Pick<Registry, 'get' | 'list'>

/** A query of `get_tools`. An empty one matches all tools. */
export interface ToolQuery {
  readonly toolsets?: readonly string[] | undefined
  readonly tools?: readonly string[] | undefined
  readonly query?: string | undefined
}

export interface FoundTools {
  /** Whether the query is empty and matches all tools. */
  readonly all: boolean
  readonly tools: readonly AnyTool[]
  /** One sentence for each unknown name, and for words without a match. */
  readonly unknown: readonly string[]
}

/** The tools that a query matches. @throws ToolError `unknown_tool` if it names tools and none of them exists. */
export function findTools({ toolsets = [], tools = [], query = '' }: ToolQuery, known: Known): FoundTools {
  const bySet = toolsetsOf(known)
  const words = wordsOf(query)
  const asked = [
    ...toolsets.map((name) => ({ name, found: ofToolset(bySet, name) ?? one(known, name) })),
    ...tools.map((name) => ({ name, found: one(known, name) ?? ofToolset(bySet, name) })),
  ].filter(({ name }) => name.trim() !== '')
  if (asked.length === 0 && words.length === 0) return { all: true, tools: [], unknown: [] }
  const named = new Set(asked.flatMap(({ found }) => found ?? []))
  const unknown = asked.filter(({ found }) => !found).map(({ name }) => unknownText(name, known))
  if (asked.length > 0 && named.size === 0)
    throw new ToolError(
      'unknown_tool',
      unknown.slice(0, MAX_UNKNOWN).join('\n'),
      'get_tools without input lists all',
    )
  const within = asked.length > 0 ? [...named] : known.list()
  const matching = words.length > 0 ? ranked(within, words) : within
  const none =
    matching.length === 0
      ? [`No tool has ${JSON.stringify(words.join(' '))} in its name or description.`]
      : []
  return { all: false, tools: matching, unknown: [...unknown.slice(0, MAX_UNKNOWN), ...none] }
}

export function toolsetsOf(known: Pick<Registry, 'list'>): ReadonlyMap<string, readonly AnyTool[]> {
  return Map.groupBy(known.list(), ({ toolset }) => toolset)
}

/** One sentence about an unknown name, with similar ones. */
export function unknownText(name: string, known: Pick<Registry, 'list'>): string {
  const names = [...known.list().map((tool) => tool.name), ...toolsetsOf(known).keys()]
  const wanted = plain(name)
  const nearest = nearestName(name, names)
  const matching = wanted.length >= 3 ? names.filter((each) => plain(each).includes(wanted)) : []
  const near = [...new Set([...(nearest ? [nearest] : []), ...matching])].slice(0, MAX_NEAR)
  const hint = near.length > 0 ? `; near it: ${near.join(', ')}` : ''
  return `there is no tool or toolset ${JSON.stringify(name.slice(0, 100))}${hint}`
}

const MAX_NEAR = 5
const MAX_UNKNOWN = 20

function ofToolset(
  toolsets: ReadonlyMap<string, readonly AnyTool[]>,
  name: string,
): readonly AnyTool[] | undefined {
  return toolsets.get(name) ?? [...toolsets].find(([each]) => plain(each) === plain(name))?.[1]
}

function one(known: Known, name: string): readonly AnyTool[] | undefined {
  const tool = known.get(name)
  return tool && [tool]
}

function wordsOf(query: string): string[] {
  return (
    query
      .toLowerCase()
      .slice(0, 1_000)
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
}

/** Tools with the most matching words first; a word in a name counts more than one in a description. */
function ranked(tools: readonly AnyTool[], words: readonly string[]): readonly AnyTool[] {
  const score = ({ name, toolset, description }: AnyTool) => {
    const own = `${name} ${toolset}`.toLowerCase()
    const text = description.toLowerCase()
    return words.reduce((sum, word) => sum + (own.includes(word) ? 3 : text.includes(word) ? 1 : 0), 0)
  }
  return tools
    .map((tool) => ({ tool, score: score(tool) }))
    .filter((each) => each.score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ tool }) => tool)
}
