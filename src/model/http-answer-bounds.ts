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
