import { bestEffort } from '../../core/rejections.ts'
import type { Fetch, HttpAnswer } from '../fetch.ts'
import { AnswerError, answerBounds, JsonAnswerError } from '../http-answer-bounds.ts'
import type { HttpBody, HttpBodyRead } from '../http-body.ts'

/**
 * Every request is for a stream: a success that has none rejects with an AnswerError. The packages take a fetch of whole
 * Responses, and read no more of one than an HttpAnswer has.
 */
export function requireStream(fetch: Fetch): typeof globalThis.fetch {
  const checked: Fetch = async (input, init) => {
    const answer = await fetch(input, init)
    if (!answer.ok) return answer
    if (!answer.body) throw new AnswerError(`HTTP ${answer.status} without a body`)
    const type = answer.headers.get('content-type') ?? ''
    if (/^text\/event-stream\b/i.test(type)) return answer
    if (!/^text\/html\b/i.test(type)) return await unlessJson(answer, answer.body)
    void bestEffort(answer.body.cancel())
    throw new AnswerError('the server sent a web page rather than an answer; check the base URL')
  }
  return checked as typeof globalThis.fetch
}

/** Some servers send a stream under another type, so its first bytes decide. @throws JsonAnswerError */
async function unlessJson(answer: HttpAnswer, body: HttpBody): Promise<HttpAnswer> {
  const reader = body.getReader()
  const first = await reader.read()
  const start = first.done ? '' : new TextDecoder().decode(first.value).trimStart()
  if (!/^[[{]/.test(start)) return { ...answer, body: readAgain(first, body) }
  const chunks: Uint8Array[] = []
  let bytes = 0
  for (let read = first; !read.done && bytes < answerBounds.errorBytes; read = await reader.read()) {
    chunks.push(read.value)
    bytes += read.value.length
  }
  void bestEffort(reader.cancel())
  throw new JsonAnswerError(Buffer.concat(chunks).toString())
}

/** The whole body, of which the first chunk was read. */
function readAgain(first: HttpBodyRead, body: HttpBody): HttpBody {
  const reader = body.getReader()
  let isFirst = true
  const read = () => {
    if (!isFirst) return reader.read()
    isFirst = false
    return Promise.resolve(first)
  }
  const again = { read, cancel: (reason?: unknown) => reader.cancel(reason), releaseLock() {} }
  return { getReader: () => again, cancel: (reason) => reader.cancel(reason) }
}
