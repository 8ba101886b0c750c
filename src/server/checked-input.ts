import { z } from 'zod'
import { issueWords } from '../core/issue-words.ts'
import { nearestName } from '../core/nearest-name.ts'
import { Problem } from './problem.ts'

/** @throws Problem 422 with the first invalid field and what it must be. */
export function checkedInput<T>(schema: z.ZodType<T>, given: unknown): T {
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  const { issues } = parsed.error
  const unknown = issues.find(({ code }) => code === 'unrecognized_keys')
  // reported first, because it may be why another field is missing
  if (unknown?.code === 'unrecognized_keys')
    throw noSuchField([...unknown.path, unknown.keys[0]!], fieldsAt(schema, unknown.path))
  const [issue] = issues
  const path = issue?.path ?? []
  const message = issue ? issueWords(issue, given) : 'it does not fit'
  throw new Problem(422, 'invalid', path.length > 0 ? `${path.join('.')}: ${message}` : message)
}

/** `none`: the message if no field is accepted. */
export function noSuchField(
  path: readonly PropertyKey[],
  known: readonly string[],
  none = 'no fields are accepted here',
): Problem {
  const name = String(path.at(-1)).slice(0, 64)
  const meant = nearestName(name, known, aHalf) ?? known.find((each) => holds(name, each))
  const fields = known.length > 0 ? `the fields are ${known.join(', ')}` : none
  const help = meant === undefined ? fields : `did you mean ${meant}?`
  return new Problem(422, 'invalid', `${[...path.slice(0, -1), name].join('.')}: unknown field; ${help}`)
}

function aHalf({ length }: string): number {
  return Math.max(1, Math.floor(length / 2))
}

/** `noWake` and `dirName` may mean `wake` and `dir`. */
function holds(name: string, field: string): boolean {
  return name.toLowerCase().includes(field.toLowerCase())
}

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
}

/** The object at a path of the input. */
export function fieldsAt(schema: z.ZodType, path: readonly PropertyKey[] = []): readonly string[] {
  let at: Shape | undefined = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Shape
  for (const key of path) at = typeof key === 'number' ? at?.items : at?.properties?.[String(key)]
  return Object.keys(at?.properties ?? {})
}
