import { findNodeAtLocation, parseTree, printParseErrorCode, type Node, type ParseError } from 'jsonc-parser'
import type { z } from 'zod'
import { nearestName } from '../agents/nearest-name.ts'
import { OffshootError } from '../core/errors.ts'
import { configSchema } from './config-schema.ts'

export type RawConfig = { [key: string]: unknown }

export interface CheckedConfig {
  /** What the source says, without the keys that nobody knows. */
  readonly values: RawConfig
  /** One sentence for each unknown key. */
  readonly warnings: readonly string[]
}

/** Reads one configuration file. @throws OffshootError `config` with file, line and what is expected. */
export function parseConfigFile(text: string, file: string): CheckedConfig {
  const errors: ParseError[] = []
  const tree = parseTree(text, errors, { allowTrailingComma: true })
  const where = (offset: number) => `${file}:${text.slice(0, offset).split('\n').length}`
  const first = errors[0]
  if (first)
    throw wrong(`${where(first.offset)}: not valid JSON (${words(printParseErrorCode(first.error))})`)
  const values = tree ? valueOf(tree) : {}
  return checkConfig(values, (path) => where(nearestNode(tree, path)?.offset ?? 0))
}

/** Checks what one source says. `where` names the place of a path in it. @throws OffshootError `config`. */
export function checkConfig(values: unknown, where: (path: readonly PropertyKey[]) => string): CheckedConfig {
  const issues = configSchema.safeParse(values).error?.issues ?? []
  const unknown = issues.filter((issue) => issue.code === 'unrecognized_keys')
  const bad = issues.find((issue) => issue.code !== 'unrecognized_keys')
  if (bad) throw wrong(`${where(bad.path)}: ${bad.path.join('.') || 'the file'}: ${bad.message}`)
  const kept = structuredClone(values) as RawConfig
  const warnings = unknown.flatMap((issue) =>
    issue.keys.map((key) => dropUnknown(kept, issue.path, key, where)),
  )
  return { values: kept, warnings }
}

/** jsonc-parser's own values have no line; the tree has both. */
function valueOf(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(valueOf)
  if (node.type !== 'object') return node.value
  const entries = (node.children ?? []).map(
    ({ children }) => [children![0]!.value as string, valueOf(children![1]!)] as const,
  )
  return Object.fromEntries(entries)
}

/** The node of the longest part of the path that exists: a missing value is reported where it is missing. */
function nearestNode(tree: Node | undefined, path: readonly PropertyKey[]): Node | undefined {
  for (let length = path.length; tree && length >= 0; length--) {
    const node = findNodeAtLocation(tree, path.slice(0, length) as (string | number)[])
    if (node) return node
  }
  return tree
}

function dropUnknown(
  values: RawConfig,
  path: readonly PropertyKey[],
  key: string,
  where: (path: readonly PropertyKey[]) => string,
): string {
  const parent = path.reduce<RawConfig>((object, name) => object[name as string] as RawConfig, values)
  delete parent[key]
  const near = nearestName(key, knownKeys(path))
  const name = [...path, key].join('.')
  return `${where([...path, key])}: unknown key ${JSON.stringify(name)} is ignored${near ? `; did you mean ${near}?` : ''}`
}

function knownKeys(path: readonly PropertyKey[]): string[] {
  let schema: z.core.$ZodType = configSchema
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

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const { innerType } = (schema as z.ZodOptional)._zod.def
  return innerType ? unwrap(innerType) : schema
}

function words(code: string): string {
  return code.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
}

function wrong(message: string): OffshootError {
  return new OffshootError('config', message, { hint: 'docs/configuration.md lists every key' })
}
