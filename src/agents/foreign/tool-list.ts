import type { Rule } from '../../core/agent.ts'
import type { Json } from '../../core/json.ts'
import { patternProblem } from '../../core/rules/pattern-problem.ts'
import { listed, unique } from './name-list.ts'
import { ignorePattern } from './path-pattern.ts'
import type { ForeignFields } from './foreign-fields.ts'
import { commonTools, nearTool, toolsNamed, type ToolNames } from './tool-names.ts'

/** A list of tools in another program's words: `Read`, `Bash(git *)`, `Task(a, b)`, `mcp__server__tool`. */
export interface ToolList {
  /** `*` stands in it. */
  readonly all: boolean
  /** Ours of those that are listed without a pattern. */
  readonly whole: ReadonlySet<string>
  /** Of those that are listed for some calls only. */
  readonly patterns: readonly ToolPattern[]
  /** Agents that `Task(a, b)` names. */
  readonly agents: readonly string[]
  /** What there is not here, as it is written. */
  readonly unknown: readonly string[]
}

interface ToolPattern {
  readonly tool: string
  /** null: a pattern that ours cannot say. */
  readonly pattern: string | null
}

/** undefined where there is none. A value that is no list of texts is a reason to skip the file. */
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

/** A name in what is forbidden that is nearly one of ours is a slip: left out, the tool would be allowed. */
export function refuseNear(
  list: Pick<ToolList, 'unknown'> | undefined,
  key: string,
  foreign: ForeignFields,
): void {
  for (const name of list?.unknown ?? []) {
    const near = nearTool(name)
    const [top] = key.split('.')
    if (near)
      foreign.fail(`its ${key} names ${name.slice(0, 64)}, which there is not; did you mean ${near}?`, top)
  }
}

/** What an agent gets of a list of the only tools that it may use. */
export interface Allowed {
  readonly tools: readonly string[] | undefined
  readonly rules: readonly Rule[]
  readonly spawns: readonly string[] | undefined
}

function warnUnknown(list: ToolList | undefined, key: string, foreign: ForeignFields): void {
  if (list && list.unknown.length > 0) foreign.ignore(`${key}: not available here: ${listed(list.unknown)}`)
}

/** Names of tools that are not here are kept, and said. */
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

/** Of each tool nothing but what is listed. */
function partialRules(patterns: readonly ToolPattern[]): Rule[] {
  return [...Map.groupBy(patterns, ({ tool }) => tool)].flatMap(([tool, each]): Rule[] => [
    { tool, action: 'deny' },
    ...each.flatMap(({ pattern }): Rule[] => (pattern === null ? [] : [{ tool, pattern, action: 'allow' }])),
  ])
}

/** Rules that forbid, or ask for, what is listed. What ours cannot say is taken for every call of the tool. */
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

/** A pattern for reading, or for changing files, binds every tool that does it. */
function boundWith(tool: string): readonly string[] {
  if (tool === 'edit' || tool === 'write') return ['edit', 'write']
  return tool === 'read' ? ['read', 'grep', 'glob', 'list'] : [tool]
}

export interface Denied {
  readonly tools: readonly string[]
  /** Of tools that are denied for some calls only. */
  readonly rules: readonly Rule[]
}

const DENIED = ['disallowedTools', 'disallowed-tools', 'disallowed_tools'] as const

/** What an agent may not use. Not every program has the key, but its meaning is clear in each file. */
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
  /** What stands in brackets; null where that is every call. */
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

/** A pattern that ours could not hold is for every call. */
function certain({ tool, pattern }: ToolPattern): ToolPattern {
  return { tool, pattern: pattern !== null && patternProblem(tool, pattern) ? null : pattern }
}

const FILE_TOOLS = new Set(['read', 'write', 'edit', 'list', 'glob', 'grep'])

function hostPatterns(inner: string): (string | null)[] {
  const host = /^domain:\s*([^\s/]+)$/.exec(inner)?.[1]
  return [host ?? null]
}

/** Split at commas and white space outside of brackets; a bracket that is not closed reaches to the end. */
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

/** Names of tools that are not here, as they can stand in our own files; none of them may mean something here. */
export function keptNames(names: readonly string[]): string[] {
  return names.filter((name) => /^[A-Za-z0-9_][\w./-]*\*?$/.test(name) && !OUR_TOOLSETS.has(name))
}

const OUR_TOOLSETS = new Set(['files', 'shell', 'web', 'planning', 'agents'])
