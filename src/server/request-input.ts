import type { z } from 'zod'
import { cancelRun, nothing } from '../protocol/verbs.ts'
import { checkedInput, fieldsAt, noSuchField } from './checked-input.ts'
import { Problem } from './problem.ts'
import { readObject } from './request-body.ts'

/** Input of a route: the query for a GET, the body for every other method. */
export interface Taken<T> {
  readonly method: string
  readonly input: z.ZodType<T>
  /** Size limit of the body, bytes. */
  readonly limit?: number
}

export interface Given<T> {
  readonly input: T
  /** The body as it was sent. */
  readonly sent: object
}

/**
 * The only reader of query and body: both are checked for every method, so that no input is ignored. @throws Problem
 * 413, 400, 422
 */
export async function readInput<T>(request: Request, { method, input, limit }: Taken<T>): Promise<Given<T>> {
  const bounds = limit === undefined ? {} : { limit }
  if (method === 'GET') {
    refuseBody(request, input)
    return { input: checkedInput(input, readQuery(request, input, NO_QUERY)), sent: {} }
  }
  const sent = await readObject(request, { ...bounds, isOptional: isOptional(input) })
  readQuery(request, nothing, fieldsAt(input).length > 0 ? 'put its fields in the body' : NO_QUERY)
  return { input: checkedInput(input, sent), sent }
}

const NO_QUERY = 'no query is accepted here'

function isOptional(input: z.ZodType): boolean {
  return input === nothing || input === cancelRun
}

/** The body of a GET is never read, so its length tells whether there is one. */
function refuseBody({ headers }: Request, input: z.ZodType): void {
  const hasBody = headers.has('transfer-encoding') || Number(headers.get('content-length') ?? 0) !== 0
  if (!hasBody) return
  const hint = fieldsAt(input).length > 0 ? 'put its fields in the query' : undefined
  throw new Problem(422, 'invalid', 'a GET takes no body', hint)
}

/** A field without a value counts as absent, but its name must be valid. */
function readQuery({ url }: Request, schema: z.ZodType, none: string): object {
  const pairs = [...new URL(url).searchParams]
  const names = pairs.map(([name]) => name)
  const known = names.length > 0 ? fieldsAt(schema) : []
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) throw noSuchField([unknown], known, none)
  const again = names.find((name, at) => names.indexOf(name) !== at)
  if (again !== undefined) throw new Problem(422, 'invalid', `${again}: it is given more than once`)
  return Object.fromEntries(pairs.filter(([, value]) => value !== ''))
}
