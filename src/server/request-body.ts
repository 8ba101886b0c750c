import { Problem } from './problem.ts'
import { jsonFault } from './json-fault.ts'

/** Largest message of a person. A larger body is not read to its end. Bytes. */
export const MAX_BODY = 8 * 1024 * 1024

/**
 * Reads the body of a request as one object. `isOptional`: the route needs no fields, so a missing body is `{}`.
 * `limit`: bytes. @throws Problem 413, 400
 */
export async function readObject(
  request: Request,
  { isOptional = false, limit = MAX_BODY }: BodyRule = {},
): Promise<object> {
  const length = Number(request.headers.get('content-length') ?? 0)
  if (length > limit) throw tooLarge(limit)
  const bytes = await readBounded(request, limit)
  if (bytes.length === 0 && isOptional) return {}
  if (bytes.length === 0) throw malformed('the body is missing; send one JSON object', 'at least {}')
  const type = request.headers.get('content-type')
  if (type !== null && !/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type))
    throw malformed('the body must be JSON', 'Content-Type: application/json')
  return parseObject(bytes)
}

interface BodyRule {
  readonly isOptional?: boolean
  readonly limit?: number
}

async function readBounded(request: Request, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  if (!request.body) return new Uint8Array()
  try {
    for await (const chunk of request.body) {
      size += chunk.length
      if (size > limit) throw tooLarge(limit)
      chunks.push(chunk)
    }
  } catch (error) {
    throw error instanceof Problem ? error : malformed('the body is incomplete')
  }
  return Buffer.concat(chunks)
}

function parseObject(bytes: Uint8Array): object {
  let text: string
  let value: unknown
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    value = JSON.parse(text)
  } catch {
    throw malformed('the body is not valid JSON in UTF-8')
  }
  const fault = jsonFault(text)
  if (fault) throw malformed(`the body ${fault}`)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw malformed('the body must be one JSON object')
}

function tooLarge(limit: number): Problem {
  return new Problem(413, 'too_large', `the body has more than ${limit} bytes`)
}

function malformed(message: string, hint?: string): Problem {
  return new Problem(400, 'malformed', message, hint)
}
