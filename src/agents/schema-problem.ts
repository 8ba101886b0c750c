import type { Json } from '../core/json.ts'

const MAX_DEPTH = 32

type Schema = { readonly [keyword: string]: Json | undefined }

/**
 * Why a JSON Schema of an agent file cannot be used, or null. Only references into the schema itself are followed, and
 * none may lead back to itself without a level between (`{$ref: '#'}`): a validator would never end.
 */
export function schemaProblem(schema: Schema): string | null {
  return problemIn(schema, schema, 0)
}

function problemIn(root: Schema, node: Json | undefined, depth: number): string | null {
  if (typeof node !== 'object' || node === null) return null
  if (depth > MAX_DEPTH) return `it is nested more than ${MAX_DEPTH} deep`
  if (!Array.isArray(node)) {
    const problem = referenceProblem(root, node as Schema)
    if (problem) return problem
  }
  for (const child of Object.values(node as Schema)) {
    const problem = problemIn(root, child, depth + 1)
    if (problem) return problem
  }
  return null
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
