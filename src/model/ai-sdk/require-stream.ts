import { bestEffort } from '../../core/rejections.ts'
import type { Fetch, HttpAnswer } from '../fetch.ts'
import { AnswerError, answerBounds, JsonAnswerError } from '../http-answer-bounds.ts'
import type { HttpBody, HttpBodyRead } from '../http-body.ts'

/**
 * Every request asks for a stream: a successful response without one rejects with an AnswerError. The packages expect a
 * fetch that returns Responses, but use only the fields of HttpAnswer.
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

/** Some servers send a stream with another content type, so its first bytes decide. @throws JsonAnswerError */
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

/** The whole body, whose first chunk was already read. */
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
