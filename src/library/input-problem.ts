import { z } from 'zod'
import { errorMessage } from '../core/errors.ts'

/** Why a model cannot produce input for this schema; undefined if it can. */
export function inputProblem(schema: z.ZodType): string | undefined {
  const problems: string[] = []
  const jsonSchema = modelSchema(schema, (node, path) => {
    const problem = nodeProblem(node)
    if (problem) problems.push(`${path.join('.') || 'it'} ${problem}`)
  })
  if (typeof jsonSchema === 'string') return `it cannot be described to a model: ${jsonSchema}`
  if (jsonSchema.type !== 'object') return 'expected one object schema, z.object({...}), not a union'
  return problems[0]
}

/** The schema as JSON Schema, or a string with the reason why there is none. */
function modelSchema(
  schema: z.ZodType,
  visit: (node: z.core.$ZodTypes, path: readonly (string | number)[]) => void,
) {
  try {
    return z.toJSONSchema(schema, {
      target: 'draft-07',
      io: 'input',
      unrepresentable: 'any',
      override: ({ zodSchema, path }) =>
        visit(
          zodSchema,
          path.filter((name) => name !== 'properties'),
        ),
    })
  } catch (error) {
    return errorMessage(error)
  }
}

/** Types that JSON cannot hold, unless the schema creates them (`z.coerce`). */
const NO_JSON: ReadonlySet<string> = new Set([
  'bigint',
  'date',
  'map',
  'set',
  'symbol',
  'function',
  'promise',
  'file',
  'void',
  'nan',
])

interface WithFunction {
  readonly fn?: unknown
}

function nodeProblem({ _zod: { def } }: z.core.$ZodTypes): string | undefined {
  const { type, coerce, checks = [] } = def as typeof def & { readonly coerce?: boolean }
  if (NO_JSON.has(type) && !coerce)
    return `is a ${type}, which JSON does not have: accept a string or a number and convert it in execute`
  const withFunctions = [...checks.map((check) => check._zod.def), def] as unknown as readonly WithFunction[]
  return withFunctions.some(({ fn }) => isAsync(fn))
    ? 'has an async check, but calls are decided synchronously: move the check to execute'
    : undefined
}

function isAsync(value: unknown): boolean {
  return Object.prototype.toString.call(value) === '[object AsyncFunction]'
}
