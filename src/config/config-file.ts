import { issueWords } from '../core/issue-words.ts'
import {
  createScanner,
  findNodeAtLocation,
  parseTree,
  printParseErrorCode,
  type Node,
  type ParseError,
} from 'jsonc-parser'
import type { z } from 'zod'
import { nearestName } from '../core/nearest-name.ts'
import { OffshootError } from '../core/errors.ts'
import { defaultLimits } from '../core/limits.ts'
import { isProgramTool, type Stranger } from '../core/rules/unknown-tool.ts'
import { readRule } from '../core/rules/read-rule.ts'
import { configSchema } from './config-schema.ts'
import { readAgentSettings, type ReadAgents } from './read-agent-settings.ts'
import { respelled } from './setting-aliases.ts'
import { refusedKey } from './unknown-key.ts'
import type { NamedAgent } from './unknown-agents.ts'

export type RawConfig = { [key: string]: unknown }

export interface CheckedConfig {
  /** The source's values, without unknown keys. */
  readonly values: RawConfig
  /** One sentence for each unknown key. */
  readonly warnings: readonly string[]
  /** Named tools that only a runtime can know. */
  readonly strangers: readonly Stranger[]
  readonly agents: readonly NamedAgent[]
}

/** Most unknown keys to name; an unrelated file has thousands. */
const MAX_WARNINGS = 20
const MAX_DEPTH = 64

/** Reads one configuration file. @throws OffshootError `config` with file, line and what is expected. */
export function parseConfigFile(text: string, file: string): CheckedConfig {
  const { values, where } = readDocument(text, file)
  return checkConfig(values === undefined ? {} : values, where)
}

export interface Document {
  /** undefined: the text is empty. */
  readonly values: unknown
  /** `file:line` of a path, or of its nearest existing part. */
  readonly where: (path: readonly PropertyKey[]) => string
}

/** JSON with comments and trailing commas. @throws OffshootError `config` with file and line. */
export function readDocument(text: string, file: string): Document {
  const where = (offset: number) => `${file}:${text.slice(0, offset).split('\n').length}`
  checkDepth(text, where)
  const errors: ParseError[] = []
  const tree = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true })
  const first = errors[0]
  if (first)
    throw wrong(`${where(first.offset)}: not valid JSON (${words(printParseErrorCode(first.error))})`)
  return {
    values: tree ? valueOf(tree, where) : undefined,
    where: (path) => where(nearestNode(tree, path)?.offset ?? 0),
  }
}

/** Validates the values of one source. `where` locates a path in it. @throws OffshootError `config`. */
export function checkConfig(given: unknown, where: (path: readonly PropertyKey[]) => string): CheckedConfig {
  if (isNothing(given)) return { values: {}, warnings: [], strangers: [], agents: [] }
  const { values, written } = isObject(given)
    ? respelled(given, where)
    : { values: given, written: (path: readonly PropertyKey[]) => path }
  const at = (path: readonly PropertyKey[]) =>
    `${where(written(path))}: ${written(path).join('.') || 'the file'}`
  const issues = configSchema().safeParse(values).error?.issues ?? []
  const bad = issues.find((issue) => issue.code !== 'unrecognized_keys')
  if (bad) throw wrong(`${at(bad.path)}: ${issueWords(bad, values)}`)
  const unknown = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [],
  )
  for (const path of unknown) {
    const refused = refusedKey(path, knownKeys(path.slice(0, -1)), Object.keys(defaultLimits))
    if (refused) throw wrong(`${where(path)}: ${refused}`)
  }
  const kept = values as RawConfig
  for (const path of unknown) dropUnknown(kept, path)
  const agents = readAgentSettings(kept['agents'])
  if (agents.wrong) throw wrong(`${at(agents.wrong.path)}: ${agents.wrong.problem}`)
  if (kept['agents'] !== undefined) kept['agents'] = agents.agents
  const strangers = [...rulesOf(kept), ...agents.strangers]
  return {
    values: kept,
    warnings: [
      ...bounded(unknown, (path) => `${where(path)}: ${unknownKey(path)}`),
      ...bounded(
        agents.warnings,
        ({ path, problem }) => `${where(path)}: ${path.join('.').slice(0, 200)}: ${problem}`,
      ),
    ],
    strangers: strangers.map(({ path, ...each }) => ({ ...each, where: at(path) })),
    agents: Object.entries(agents.agents).map(([name, settings]) => ({
      name,
      where: at(['agents', name]),
      settings,
    })),
  }
}

function bounded<T>(all: readonly T[], text: (one: T) => string): readonly string[] {
  const more = all.length - MAX_WARNINGS
  const shown = all.slice(0, MAX_WARNINGS).map(text)
  return more > 0 ? [...shown, `${more} more unknown keys`] : shown
}

/** Tools in rules and delegations that are not built in. */
function rulesOf({ permissions = [], delegations = [] }: RawConfig): ReadAgents['strangers'] {
  const named = (key: string, list: unknown) =>
    (list as readonly unknown[]).map((each, at) => {
      const rule = key === 'permissions' ? readRule(each) : (each as { readonly tool: string })
      return { tool: 'tool' in rule ? rule.tool : '*', kind: 'rule' as const, path: [key, at, 'tool'] }
    })
  return [...named('permissions', permissions), ...named('delegations', delegations)].filter(
    ({ tool, kind }) => !isProgramTool(tool, kind),
  )
}

function isObject(value: unknown): value is RawConfig {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A typical source has no such keys, so the schema is not created. */
function isNothing(values: unknown): boolean {
  const isPlain =
    typeof values === 'object' && values !== null && Object.getPrototypeOf(values) === Object.prototype
  return isPlain && Object.keys(values).length === 0
}

/** The parser and its readers recurse for each level. @throws OffshootError `config`. */
export function checkDepth(text: string, where: (offset: number) => string): void {
  const scanner = createScanner(text, true)
  let depth = 0
  for (scanner.scan(); scanner.getTokenOffset() < text.length; scanner.scan()) {
    const token = text[scanner.getTokenOffset()]
    if (token === '{' || token === '[') depth++
    if (token === '}' || token === ']') depth--
    if (depth > MAX_DEPTH)
      throw wrong(`${where(scanner.getTokenOffset())}: nested deeper than ${MAX_DEPTH} levels`)
  }
}

/** jsonc-parser's own values have no line numbers and hide duplicate keys. */
function valueOf(node: Node, where: (offset: number) => string): unknown {
  if (node.type === 'array') return (node.children ?? []).map((child) => valueOf(child, where))
  if (node.type !== 'object') return node.value
  const values = new Map<string, unknown>()
  for (const { children, offset } of node.children ?? []) {
    const key = children![0]!.value as string
    if (values.has(key)) throw wrong(`${where(offset)}: the key ${JSON.stringify(key)} appears twice`)
    values.set(key, valueOf(children![1]!, where))
  }
  return Object.fromEntries(values)
}

/** The node of the longest existing part of the path: a missing value is reported where it should be. */
function nearestNode(tree: Node | undefined, path: readonly PropertyKey[]): Node | undefined {
  for (let length = path.length; tree && length >= 0; length--) {
    const node = findNodeAtLocation(tree, path.slice(0, length) as (string | number)[])
    if (node) return node
  }
  return tree
}

function dropUnknown(values: RawConfig, path: readonly PropertyKey[]): void {
  const parent = path.slice(0, -1).reduce<RawConfig>((at, name) => at[name as string] as RawConfig, values)
  delete parent[path.at(-1) as string]
}

function unknownKey(path: readonly PropertyKey[]): string {
  const key = String(path.at(-1))
  const near = nearestName(key, knownKeys(path.slice(0, -1)))
  const name = path.join('.').slice(0, 200)
  return `unknown key ${JSON.stringify(name)} is ignored${near ? `; did you mean ${near}?` : ''}`
}

function knownKeys(path: readonly PropertyKey[]): string[] {
  let schema: z.core.$ZodType = configSchema()
  for (const name of path) schema = step(schema, name)
  const object = unwrap(schema) as z.ZodObject
  return Object.keys(object.shape ?? {})
}

function step(schema: z.core.$ZodType, name: PropertyKey): z.core.$ZodType {
  const inner = unwrap(schema) as unknown as Partial<
    Pick<z.ZodObject, 'shape'> & Pick<z.ZodRecord, 'valueType'> & Pick<z.ZodArray, 'element'>
  >
  return inner.shape?.[name as string] ?? inner.valueType ?? inner.element ?? schema
}

type Inner = { readonly [side in 'innerType' | 'in' | 'out']?: z.core.$ZodType }

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const { innerType, in: before, out } = schema._zod.def as Inner
  // of a union with a function before or after it, the other side
  const inner = innerType ?? [before, out].find((each) => each && each._zod.def.type !== 'transform')
  return inner ? unwrap(inner) : schema
}

function words(code: string): string {
  return code.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
}

function wrong(message: string): OffshootError {
  return new OffshootError('config', message, { hint: 'docs/configuration.md lists every key' })
}
