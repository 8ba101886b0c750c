/** One line of the stream, before it is written as JSON. Fields are those of the Claude Agent SDK's message types. */
export interface StreamLine {
  readonly type: 'system' | 'assistant' | 'user' | 'result'
  readonly [field: string]: unknown
}

/** What every line carries. */
export interface Envelope {
  readonly uuid: string
  readonly session_id: string
}
