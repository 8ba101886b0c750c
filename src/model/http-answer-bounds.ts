/** What is read of one HTTP answer, whatever the server sends. Bytes, after decompression. */
export const answerBounds: AnswerBounds = {
  errorBytes: 1024 * 1024,
  lineBytes: 16 * 1024 * 1024,
  totalBytes: 256 * 1024 * 1024,
}

export interface AnswerBounds {
  /** Of an answer that is an error; the rest is not read. */
  readonly errorBytes: number
  /** Of one line of an event stream: a longer one fails the answer. */
  readonly lineBytes: number
  /** Of a whole answer: a longer one fails. */
  readonly totalBytes: number
}

/** The server answered, and what it sent cannot be used: asking again brings the same. */
export class AnswerError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'AnswerError'
  }
}

/** JSON in the place of a stream: some servers and proxies report errors so, with a status of success. */
export class JsonAnswerError extends AnswerError {
  /** What the server says went wrong, as a provider's error in a stream has it; null: it names no error. */
  readonly said: SaidError | null

  constructor(json: string) {
    const said = saidIn(json)
    const what = said ? said.message : json.replace(/\s+/g, ' ').trim()
    super(`the server sent JSON rather than a stream: ${what}`)
    this.said = said && { ...said, message: this.message }
  }
}

export interface SaidError {
  readonly message: string
  readonly type?: unknown
  readonly code?: unknown
}

/** `{"error": {"message"}}`, `{"error": "..."}`, `{"message": "..."}`, `{"detail": "..."}`, or a list with one of these. */
function saidIn(json: string): SaidError | null {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    return null // cut, or no JSON: its beginning is shown
  }
  const answer = fieldsOf(Array.isArray(value) ? value[0] : value)
  const error = answer['error'] ?? answer
  if (typeof error === 'string') return { message: error }
  const { message, detail, type, status, code } = fieldsOf(error)
  const text = message ?? detail
  return typeof text === 'string' && text !== '' ? { message: text, type: type ?? status, code } : null
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}
