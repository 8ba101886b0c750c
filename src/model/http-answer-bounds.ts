/** Bounds for one HTTP response, whatever the server sends. Bytes, after decompression. */
export const answerBounds: AnswerBounds = {
  errorBytes: 1024 * 1024,
  lineBytes: 16 * 1024 * 1024,
  totalBytes: 256 * 1024 * 1024,
}

export interface AnswerBounds {
  /** Of an error response; the rest is not read. */
  readonly errorBytes: number
  /** Of one line of an event stream: a longer one fails the answer. */
  readonly lineBytes: number
  /** Of a whole response: a longer one fails. */
  readonly totalBytes: number
}

/** The server's response is unusable, and a retry would get the same. */
export class AnswerError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'AnswerError'
  }
}

/** JSON instead of a stream: some servers and proxies report errors so, with a success status. */
export class JsonAnswerError extends AnswerError {
  /** The server's error in the form of a stream error; null: it names none. */
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
    return null // truncated or not JSON: its start is shown
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
