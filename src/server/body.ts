import { Problem } from './problem.ts'

/** No message of a person is longer; what is larger is read no further. Bytes. */
export const MAX_BODY = 8 * 1024 * 1024

/** The body of a request as one object; without any `{}`. @throws Problem 413, 400 */
export async function readObject(request: Request): Promise<object> {
  const length = Number(request.headers.get('content-length') ?? 0)
  if (length > MAX_BODY) throw tooLarge()
  const bytes = await readBounded(request)
  if (bytes.length === 0) return {}
  const type = request.headers.get('content-type')
  if (type !== null && !/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type))
    throw malformed('the body has to be JSON', 'Content-Type: application/json')
  return parseObject(bytes)
}

async function readBounded(request: Request): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  if (!request.body) return new Uint8Array()
  try {
    for await (const chunk of request.body) {
      size += chunk.length
      if (size > MAX_BODY) throw tooLarge()
      chunks.push(chunk)
    }
  } catch (error) {
    throw error instanceof Problem ? error : malformed('the body did not come to its end')
  }
  return Buffer.concat(chunks)
}

function parseObject(bytes: Uint8Array): object {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw malformed('the body is not JSON in UTF-8')
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw malformed('the body has to be one JSON object')
}

function tooLarge(): Problem {
  return new Problem(413, 'too_large', `the body has more than ${MAX_BODY} bytes`)
}

function malformed(message: string, hint?: string): Problem {
  return new Problem(400, 'malformed', message, hint)
}
