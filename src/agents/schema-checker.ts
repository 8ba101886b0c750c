import { createRequire } from 'node:module'
import type { Ajv, ErrorObject, ValidateFunction } from 'ajv'
import type { JsonSchema } from '../core/agent.ts'
import { errorMessage } from '../core/errors.ts'
import { schemaProblem } from './schema-problem.ts'
import { withinTime } from './within-time.ts'

/** One violation of a schema. */
export interface SchemaIssue {
  /** Path: names of fields and indexes of items. */
  readonly path: readonly (string | number)[]
  readonly message: string
  /** The required type. */
  readonly expected?: string
  /** The allowed values. */
  readonly values?: readonly unknown[]
}

/** The violations of a value; empty: it is valid. A string: why it cannot be checked. */
export type SchemaChecker = (value: unknown) => readonly SchemaIssue[] | string

/** Longer than any real schema takes, even on a busy machine. Milliseconds. */
const MAX_MS = 500
/** For larger values, only the first violation is reported. Characters of JSON. */
const ALL_ISSUES_CHARS = 64 * 1024

/**
 * Creates the checker of a schema: 2020-12, or draft-07 if it says so or is only valid as that. Hostile schemas can
 * neither hang nor crash it: size and depth are bounded, references stay inside, and each check ends after half a
 * second, so that any pattern is safe. Returns a sentence if it is not a schema.
 */
export function schemaChecker(schema: JsonSchema): SchemaChecker | string {
  const problem = schemaProblem(schema)
  if (problem) return problem
  const compiled = compile(schema)
  if (typeof compiled === 'string') return compiled
  const check: SchemaChecker = (value) => issuesOf(compiled, value)
  for (const probe of PROBES) {
    const found = check(probe)
    if (typeof found === 'string') return found
  }
  return check
}

/** A schema that refers directly to itself cannot check even these. */
const PROBES = [null, {}, [], '', 0, true] as const

interface Compiled {
  readonly first: ValidateFunction
  readonly all: ValidateFunction
}

function compile(schema: JsonSchema): Compiled | string {
  const { $schema, $id: _, ...rest } = schema // its own address is irrelevant here
  const old = typeof $schema === 'string' && /draft-0[3-7]/.test($schema)
  const reasons: string[] = []
  for (const dialect of old ? (['7'] as const) : (['2020', '7'] as const)) {
    const made = compileAs(dialect, rest)
    if (typeof made !== 'string') return made
    reasons.push(made)
  }
  return `it is not a JSON Schema: ${reasons[0]}`
}

type Dialect = '7' | '2020'

function compileAs(dialect: Dialect, schema: JsonSchema): Compiled | string {
  const { first, all } = library(dialect)
  try {
    const made = withinTime(MAX_MS, () => ({ first: first.compile(schema), all: all.compile(schema) }))
    return made.late ? TOO_LONG : made.value
  } catch (error) {
    const reason = errorMessage(error).replace(/^schema is invalid: /, '')
    return reason.replaceAll(/\bdata(?=[/ ])/g, 'schema').slice(0, 300)
  } finally {
    for (const ajv of [first, all]) ajv.removeSchema(schema)
  }
}

const TOO_LONG = `checking it takes longer than ${MAX_MS / 1_000} s`

const libraries = new Map<Dialect, { readonly first: Ajv; readonly all: Ajv }>()

/** Loaded on first use: most runs have no schema, and loading takes longer than their start. */
function library(dialect: Dialect) {
  const known = libraries.get(dialect)
  if (known) return known
  const load = createRequire(import.meta.url)
  const { default: Library } = load(dialect === '7' ? 'ajv' : 'ajv/dist/2020.js') as { default: typeof Ajv }
  const options = { strict: false, logger: false, validateFormats: false, unicodeRegExp: false } as const
  const own = { inlineRefs: false } as const
  const first = new Library({ ...options, ...own })
  const all = new Library({ ...options, ...own, allErrors: true })
  for (const ajv of [first, all]) void ajv.validateSchema({}) // compiles its own schema first, outside the measured time
  const made = { first, all }
  libraries.set(dialect, made)
  return made
}

function issuesOf({ first, all }: Compiled, value: unknown): readonly SchemaIssue[] | string {
  try {
    const checked = withinTime(MAX_MS, () => {
      if (first(value)) return []
      if (JSON.stringify(value).length <= ALL_ISSUES_CHARS) all(value)
      else return first.errors ?? []
      return all.errors ?? []
    })
    return checked.late ? TOO_LONG : checked.value.map(issueOf)
  } catch (error) {
    return `it cannot be checked: ${errorMessage(error).slice(0, 200)}`
  }
}

function issueOf({ keyword, instancePath, message, params }: ErrorObject): SchemaIssue {
  const path = pathOf(instancePath)
  const { missingProperty, additionalProperty, unevaluatedProperty, type, allowedValues } = params as {
    readonly [name: string]: unknown
  }
  const extra = additionalProperty ?? unevaluatedProperty
  if (keyword === 'required') return { path: [...path, String(missingProperty)], message: 'is missing' }
  if (typeof extra === 'string') return { path: [...path, extra], message: 'is not a field of the schema' }
  if (keyword === 'type') {
    const expected = Array.isArray(type) ? type.join(' or ') : String(type)
    return { path, message: `must be ${expected}`, expected }
  }
  if (keyword === 'enum' && Array.isArray(allowedValues))
    return { path, message: `must be one of ${shortly(allowedValues)}`, values: allowedValues }
  if (keyword === 'const') return { path, message: `must be ${shortly(params['allowedValue'])}` }
  return { path, message: message ?? `does not satisfy ${keyword}` }
}

function pathOf(pointer: string): (string | number)[] {
  return pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((name) => (/^(0|[1-9]\d{0,8})$/.test(name) ? Number(name) : name))
}

function shortly(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 200)
}

/** The violations in a few lines: `findings[0].line must be integer`. */
export function issueLines(issues: readonly SchemaIssue[], max = 10): string[] {
  const lines = issues.slice(0, max).map(({ path, message }) => `${placeOf(path)} ${message}`.slice(0, 300))
  return issues.length > max ? [...lines, `and ${issues.length - max} more`] : lines
}

function placeOf(path: SchemaIssue['path']): string {
  const place = path.map((name) => (typeof name === 'number' ? `[${name}]` : `.${name}`)).join('')
  return place === '' ? 'the value' : place.replace(/^\./, '')
}
