import { z } from 'zod'
import { nearestName } from '../core/nearest-name.ts'
import { Problem } from './problem.ts'

/** @throws Problem 422 that names the first field, and says how it has to be. */
export function checkedInput(schema: z.ZodType, given: unknown): unknown {
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  const { issues } = parsed.error
  const unknown = issues.find(({ code }) => code === 'unrecognized_keys')
  if (unknown?.code === 'unrecognized_keys') throw unknownField(schema, unknown)
  const [{ path, message } = { path: [], message: 'it does not fit' }] = issues
  throw new Problem(422, 'invalid', path.length > 0 ? `${path.join('.')}: ${message}` : message)
}

/** It may be the reason why another one is missing: so it is said first. */
function unknownField(schema: z.ZodType, { path, keys }: z.core.$ZodIssueUnrecognizedKeys): Problem {
  const name = keys[0]!.slice(0, 64)
  const known = fieldsAt(schema, path)
  const meant = nearestName(name, known, aHalf) ?? known.find((each) => holds(name, each))
  const fields = known.length > 0 ? `the fields are ${known.join(', ')}` : 'nothing is taken here'
  const help = meant === undefined ? fields : `did you mean ${meant}?`
  return new Problem(422, 'invalid', `${[...path, name].join('.')}: there is no such field; ${help}`)
}

function aHalf({ length }: string): number {
  return Math.max(1, Math.floor(length / 2))
}

/** `noWake` and `dirName` mean `wake` and `dir`. */
function holds(name: string, field: string): boolean {
  return name.toLowerCase().includes(field.toLowerCase())
}

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
}

/** Of the object at a place of the input. */
function fieldsAt(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  let at: Shape | undefined = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Shape
  for (const key of path) at = typeof key === 'number' ? at?.items : at?.properties?.[String(key)]
  return Object.keys(at?.properties ?? {})
}
