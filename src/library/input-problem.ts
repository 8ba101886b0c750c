import { z } from 'zod'
import { errorMessage } from '../core/errors.ts'

/** Why no model can fill in what the schema asks for; undefined where one can. */
export function inputProblem(schema: z.ZodType): string | undefined {
  const problems: string[] = []
  const jsonSchema = modelSchema(schema, (node, path) => {
    const problem = nodeProblem(node)
    if (problem) problems.push(`${path.join('.') || 'it'} ${problem}`)
  })
  if (typeof jsonSchema === 'string') return `it cannot be told to a model: ${jsonSchema}`
  if (jsonSchema.type !== 'object') return 'expected a schema of one object, z.object({...}), and no union'
  return problems[0]
}

/** As JSON Schema; a text: why there is none. */
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

/** Values that no JSON becomes, unless the schema makes them of it (`z.coerce`). */
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
    return `is a ${type}, which no JSON is: take a text or a number, and make a ${type} of it`
  const withFunctions = [...checks.map((check) => check._zod.def), def] as unknown as readonly WithFunction[]
  return withFunctions.some(({ fn }) => isAsync(fn))
    ? 'has an async check, and it is decided about a call before anything else is done: check that in execute'
    : undefined
}

function isAsync(value: unknown): boolean {
  return Object.prototype.toString.call(value) === '[object AsyncFunction]'
}
