import type { Json } from '../core/json.ts'

const MAX_DEPTH = 32
const MAX_NODES = 5_000
/** The schema is also part of the agent's first context. Characters of JSON. */
const MAX_CHARS = 32 * 1024

/** Keywords that leave the schema, or make its check asynchronous. */
const REFUSED = ['$async', '$dynamicRef', '$recursiveRef'] as const

type Schema = { readonly [keyword: string]: Json | undefined }

/**
 * Why a JSON Schema cannot be used, or null, judging by its structure: `schemaChecker` checks the rest. References must
 * stay inside the schema and must not lead back to themselves without a level between (`{$ref: '#'}`): a validator
 * would never end.
 */
export function schemaProblem(schema: Schema): string | null {
  const problem = rootProblem(schema) ?? problemIn(schema, schema, 0, { nodes: 0 })
  if (problem) return problem
  const { length } = JSON.stringify(schema)
  return length > MAX_CHARS ? `it has ${length} characters of JSON; at most ${MAX_CHARS} are read` : null
}

/** Without any known keyword it would allow everything: a typo, or fields in place of `properties`. */
function rootProblem(schema: Schema): string | null {
  const names = Object.keys(schema)
  if (names.length === 0 || names.some((name) => KEYWORDS.has(name))) return null
  return `it has no keyword of JSON Schema (type, properties, items, enum, ...), only ${names.join(', ').slice(0, 100)}`
}

const KEYWORDS: ReadonlySet<string> = new Set(
  `$schema $id $ref $defs $comment $anchor $async $dynamicRef $recursiveRef definitions title description default
  examples readOnly writeOnly deprecated type enum const allOf anyOf oneOf not if then else properties
  patternProperties additionalProperties unevaluatedProperties propertyNames required dependentRequired
  dependentSchemas dependencies minProperties maxProperties items prefixItems additionalItems unevaluatedItems
  contains minContains maxContains minItems maxItems uniqueItems multipleOf minimum maximum exclusiveMinimum
  exclusiveMaximum minLength maxLength pattern format contentEncoding contentMediaType contentSchema`.split(
    /\s+/,
  ),
)

function problemIn(
  root: Schema,
  node: Json | undefined,
  depth: number,
  seen: { nodes: number },
): string | null {
  if (typeof node !== 'object' || node === null) return null
  if (depth > MAX_DEPTH) return `it is nested more than ${MAX_DEPTH} deep`
  if (++seen.nodes > MAX_NODES) return `it has more than ${MAX_NODES} lists and objects`
  if (!Array.isArray(node)) {
    const problem = keywordProblem(node as Schema) ?? referenceProblem(root, node as Schema)
    if (problem) return problem
  }
  for (const child of Object.values(node as Schema)) {
    const problem = problemIn(root, child, depth + 1, seen)
    if (problem) return problem
  }
  return null
}

/** A schema describes a field of that name; as a keyword it has another kind of value. */
function keywordProblem(node: Schema): string | null {
  const refused = REFUSED.find((name) => node[name] !== undefined && !isSchema(node[name]))
  return refused === undefined ? null : `${refused} is not supported`
}

function referenceProblem(root: Schema, start: Schema): string | null {
  const seen = new Set<Json | undefined>()
  for (let node: Json | undefined = start; isSchema(node) && typeof node.$ref === 'string';) {
    if (seen.has(node)) return `${node.$ref} refers to itself`
    seen.add(node)
    const { $ref }: { $ref: string } = node as { $ref: string }
    if (!/^#(\/|$)/.test($ref)) return `${$ref} is not a reference into the schema itself`
    node = resolve(root, $ref)
    if (node === undefined) return `${$ref} does not exist`
  }
  return null
}

function resolve(root: Schema, pointer: string): Json | undefined {
  const names = pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  let node: Json | undefined = root
  for (const name of names) {
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, name)) return undefined
    node = (node as Schema)[name]
  }
  return node
}

function isSchema(node: Json | undefined): node is Schema {
  return typeof node === 'object' && node !== null && !Array.isArray(node)
}
