import type { Rule } from '../../core/agent.ts'
import type { Json } from '../../core/json.ts'
import { patternProblem } from '../../core/rules/pattern-problem.ts'
import { listed, unique } from './name-list.ts'
import { ignorePattern } from './path-pattern.ts'
import type { ForeignFields } from './foreign-fields.ts'
import { commonTools, nearTool, toolsNamed, type ToolNames } from './tool-names.ts'

/** A tool list of another program: `Read`, `Bash(git *)`, `Task(a, b)`, `mcp__server__tool`. */
export interface ToolList {
  /** It contains `*`. */
  readonly all: boolean
  /** Our tools listed without a pattern. */
  readonly whole: ReadonlySet<string>
  /** Tools listed only for some calls. */
  readonly patterns: readonly ToolPattern[]
  /** Agents named in `Task(a, b)`. */
  readonly agents: readonly string[]
  /** Unknown tools, as written. */
  readonly unknown: readonly string[]
}

interface ToolPattern {
  readonly tool: string
  /** null: a pattern that ours cannot express. */
  readonly pattern: string | null
}

/** undefined without one. A value that is not a list of strings makes the file invalid. */
export function readToolList(
  value: Json | undefined,
  key: string,
  foreign: ForeignFields,
  names: ToolNames = commonTools,
): ToolList | undefined {
  if (value === undefined) return undefined
  const texts = typeof value === 'string' ? [value.replace(/^\s*\[|\]\s*$/g, '')] : value
  if (!Array.isArray(texts) || !texts.every((each) => typeof each === 'string')) {
    foreign.fail(`its ${key} cannot be read: expected a list of tool names`, key.split('.')[0])
    return undefined
  }
  const entries = texts.flatMap(splitTokens).map((token) => readEntry(token, names))
  return {
    all: entries.some(({ name }) => name === '*'),
    whole: new Set(entries.filter(({ inner }) => inner === null).flatMap(({ tools }) => tools)),
    patterns: entries.flatMap(patternsOf).map(certain),
    agents: entries
      .filter(({ tools }) => tools.includes('task'))
      .flatMap(({ inner }) => inner?.split(/[,\s]+/) ?? []),
    unknown: entries.filter(({ name, tools }) => tools.length === 0 && name !== '*').map(({ name }) => name),
  }
}

/** A nearly matching name in a deny list is a typo: dropping it would allow the tool. */
export function refuseNear(
  list: Pick<ToolList, 'unknown'> | undefined,
  key: string,
  foreign: ForeignFields,
): void {
  for (const name of list?.unknown ?? []) {
    const near = nearTool(name)
    const [top] = key.split('.')
    if (near)
      foreign.fail(`its ${key} names an unknown tool, ${name.slice(0, 64)}; did you mean ${near}?`, top)
  }
}

/** Converts an allow list. */
export interface Allowed {
  readonly tools: readonly string[] | undefined
  readonly rules: readonly Rule[]
  readonly spawns: readonly string[] | undefined
}

function warnUnknown(list: ToolList | undefined, key: string, foreign: ForeignFields): void {
  if (list && list.unknown.length > 0) foreign.ignore(`${key}: not available here: ${listed(list.unknown)}`)
}

/** Unknown tool names are kept and reported. */
export function allowedOf(list: ToolList | undefined, key: string, foreign: ForeignFields): Allowed {
  warnUnknown(list, key, foreign)
  if (!list || list.all) return { tools: undefined, rules: [], spawns: undefined }
  const { whole, patterns, agents, unknown } = list
  const partly = patterns.map(({ tool }) => tool)
  const spawns = agents.filter((name) => name !== '')
  return {
    tools: unique([...whole, ...partly, ...(spawns.length > 0 ? ['task'] : []), ...keptNames(unknown)]),
    rules: partialRules(patterns.filter(({ tool }) => !whole.has(tool))),
    spawns: spawns.length > 0 && !whole.has('task') ? spawns : undefined,
  }
}

/** Allows only the listed calls of each tool. */
function partialRules(patterns: readonly ToolPattern[]): Rule[] {
  return [...Map.groupBy(patterns, ({ tool }) => tool)].flatMap(([tool, each]): Rule[] => [
    { tool, action: 'deny' },
    ...each.flatMap(({ pattern }): Rule[] => (pattern === null ? [] : [{ tool, pattern, action: 'allow' }])),
  ])
}

/** Deny or ask rules for the listed calls. An inexpressible pattern covers every call of the tool. */
export function rulesFor(
  { whole, patterns, agents }: Pick<ToolList, 'whole' | 'patterns' | 'agents'>,
  action: Rule['action'],
): Rule[] {
  const named = agents.filter((name) => name !== '').map((pattern) => ({ tool: 'task', pattern }))
  const all = [...[...whole].map((tool) => ({ tool, pattern: null })), ...patterns, ...named]
  return all.flatMap(({ tool, pattern }) =>
    (pattern === null ? [tool] : boundWith(tool)).map((each): Rule =>
      pattern === null ? { tool: each, action } : { tool: each, pattern, action },
    ),
  )
}

/** A pattern for reading or changing files applies to every tool that does so. */
function boundWith(tool: string): readonly string[] {
  if (tool === 'edit' || tool === 'write') return ['edit', 'write']
  return tool === 'read' ? ['read', 'grep', 'glob', 'list'] : [tool]
}

export interface Denied {
  readonly tools: readonly string[]
  /** For tools that are denied only for some calls. */
  readonly rules: readonly Rule[]
}

const DENIED = ['disallowedTools', 'disallowed-tools', 'disallowed_tools'] as const

/** Converts a deny list. Not every program has the key, but its meaning is clear in each file. */
export function deniedOf(foreign: ForeignFields, names: ToolNames = commonTools): Denied {
  foreign.agree(...DENIED)
  const denied = readToolList(foreign.takeStrict(...DENIED), 'disallowedTools', foreign, names)
  if (!denied) return { tools: [], rules: [] }
  refuseNear(denied, 'disallowedTools', foreign)
  warnUnknown(denied, 'disallowedTools', foreign)
  return {
    tools: unique([...(denied.all ? ['*'] : []), ...denied.whole, ...keptNames(denied.unknown)]),
    rules: rulesFor({ ...denied, whole: new Set() }, 'deny'),
  }
}

interface Entry {
  readonly name: string
  /** The text in brackets; null if it means every call. */
  readonly inner: string | null
  readonly tools: readonly string[]
}

function readEntry(token: string, names: ToolNames): Entry {
  const open = token.indexOf('(')
  const name = (open < 0 ? token : token.slice(0, open)).trim()
  const inner =
    open < 0
      ? ''
      : token
          .slice(open + 1)
          .replace(/\)\s*$/, '')
          .trim()
  return { name, inner: inner === '' || inner === '*' ? null : inner, tools: toolsNamed(name, names) }
}

function patternsOf({ tools, inner }: Entry): ToolPattern[] {
  if (inner === null) return []
  return tools.flatMap((tool): ToolPattern[] => {
    if (tool === 'task') return []
    if (tool === 'bash')
      return inner.split(/,\s+/).map((each) => ({ tool, pattern: each.replace(/:\*$/, ' *') }))
    if (tool === 'webfetch') return hostPatterns(inner).map((pattern) => ({ tool, pattern }))
    return [{ tool, pattern: FILE_TOOLS.has(tool) ? ignorePattern(inner) : null }]
  })
}

/** A pattern that ours cannot hold covers every call. */
function certain({ tool, pattern }: ToolPattern): ToolPattern {
  return { tool, pattern: pattern !== null && patternProblem(tool, pattern) ? null : pattern }
}

const FILE_TOOLS = new Set(['read', 'write', 'edit', 'list', 'glob', 'grep'])

function hostPatterns(inner: string): (string | null)[] {
  const host = /^domain:\s*([^\s/]+)$/.exec(inner)?.[1]
  return [host ?? null]
}

/** Splits at commas and white space outside brackets; an unclosed bracket extends to the end. */
export function splitTokens(text: string): string[] {
  const tokens = ['']
  let depth = 0
  for (const char of text) {
    if (char === '(') depth++
    if (char === ')') depth = Math.max(0, depth - 1)
    if (depth === 0 && /[\s,]/.test(char)) tokens.push('')
    else tokens[tokens.length - 1] += char
  }
  return tokens
    .map((token) => token.replace(/^["']+|["']+$/g, ''))
    .filter((token) => token !== '' && token !== '-')
}

/** Unknown tool names in a form for our own files; none may mean something here. */
export function keptNames(names: readonly string[]): string[] {
  return names.filter((name) => /^[A-Za-z0-9_][\w./-]*\*?$/.test(name) && !OUR_TOOLSETS.has(name))
}

const OUR_TOOLSETS = new Set(['files', 'shell', 'web', 'planning', 'agents'])
