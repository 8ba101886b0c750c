import type http from 'node:http'
import type { Readable } from 'node:stream'
import { AnswerError, type AnswerBounds } from './http-answer-bounds.ts'

/** The part of a response body that is used; a ReadableStream of bytes has it. */
export interface HttpBody {
  getReader(): HttpBodyReader
  /** Nothing more is wanted: cancels a pending read and closes the connection. */
  cancel(reason?: unknown): Promise<void>
}

export interface HttpBodyReader {
  read(): Promise<HttpBodyRead>
  cancel(reason?: unknown): Promise<void>
  releaseLock(): void
}

export type HttpBodyRead =
  | { readonly done: false; readonly value: Uint8Array }
  | { readonly done: true; readonly value?: Uint8Array | undefined }

/**
 * The body of a response, decompressed, with back-pressure: without a reader, nothing is read from the socket beyond
 * its buffer. Everything that arrived in between comes as one chunk, which spares slow readers many small ones. An
 * error's body ends at its bound; any other body beyond one fails with an AnswerError. Not a ReadableStream: its
 * readers create one, and two would cost twice as much. It has one reader, who reads one chunk at a time.
 */
export function createBody(
  message: http.IncomingMessage,
  headers: ReadonlyMap<string, string>,
  signal: AbortSignal | undefined,
  bounds: AnswerBounds,
): HttpBody {
  const source = decoded(message, headers)
  const take = createBound(message.statusCode ?? 0, headers, bounds)
  let waiting: PromiseWithResolvers<HttpBodyRead> | undefined
  let over: { readonly error?: unknown } | undefined
  const settle = (how: { readonly error?: unknown }) => {
    if (over) return
    over = how
    signal?.removeEventListener('abort', onAbort)
    source.destroy()
    message.destroy()
    pass()
  }
  const fail = (error: unknown) => settle({ error })
  const onAbort = () => fail(signal!.reason)
  const pass = () => {
    if (!waiting) return
    const { resolve, reject } = waiting
    const chunk = over ? null : (source.read() as Buffer | null)
    if (chunk) {
      const { error, last, bytes } = take(chunk)
      if (error) return fail(error)
      waiting = undefined
      resolve({ done: false, value: bytes })
      if (last) settle({})
    } else if (over) {
      waiting = undefined
      if ('error' in over) reject(over.error)
      else resolve({ done: true })
    }
  }
  signal?.addEventListener('abort', onAbort, { once: true })
  source.on('readable', pass)
  source.on('end', () => settle({}))
  source.on('error', fail)
  if (source !== message) message.on('error', fail)
  if (signal?.aborted) onAbort()
  const cancel = async () => settle({})
  const read = () => {
    if (waiting) return Promise.reject(new TypeError('the body is being read already'))
    const { promise } = (waiting = Promise.withResolvers<HttpBodyRead>())
    pass()
    return promise
  }
  const reader: HttpBodyReader = { read, cancel, releaseLock() {} }
  return { getReader: () => reader, cancel }
}

interface Taken {
  readonly bytes: Uint8Array
  /** Nothing after these bytes is wanted. */
  readonly last?: boolean
  readonly error?: AnswerError
}

/** Counts by chunk: the cost of a delta must not grow with earlier content. */
function createBound(
  status: number,
  headers: ReadonlyMap<string, string>,
  { errorBytes, lineBytes, totalBytes }: AnswerBounds,
): (chunk: Buffer) => Taken {
  const isError = status < 200 || status > 299
  const hasLines = /^text\/event-stream\b/i.test(headers.get('content-type') ?? '')
  let total = 0
  let line = 0
  return (chunk) => {
    total += chunk.length
    if (isError) {
      const over = total - errorBytes
      return over < 0 ? { bytes: chunk } : { bytes: chunk.subarray(0, chunk.length - over), last: true }
    }
    if (total > totalBytes) return { bytes: chunk, error: tooLong('the answer', totalBytes) }
    if (hasLines) {
      const end = lineEnd(chunk)
      line = end < 0 ? line + chunk.length : chunk.length - 1 - end
      if (line > lineBytes) return { bytes: chunk, error: tooLong('a line of the answer', lineBytes) }
    }
    return { bytes: chunk }
  }
}

/** The end of the last line in the chunk; lines may end with CR alone. */
function lineEnd(chunk: Buffer): number {
  const end = chunk.lastIndexOf(10)
  return end < 0 ? chunk.lastIndexOf(13) : end
}

function tooLong(what: string, bytes: number): AnswerError {
  const size = bytes >= 1024 * 1024 ? `${Math.floor(bytes / (1024 * 1024))} MiB` : `${bytes} bytes`
  return new AnswerError(`${what} is longer than the limit of ${size}`)
}

/** Compression is not requested, since it delays a stream, but a server may use it anyway. */
function decoded(message: http.IncomingMessage, headers: ReadonlyMap<string, string>): Readable {
  const decoder = DECODERS.get(headers.get('content-encoding')?.toLowerCase() ?? '')?.()
  return decoder ? message.pipe(decoder) : message
}

/** Loaded late: few responses are compressed. */
const zlib = () => process.getBuiltinModule('node:zlib')

const DECODERS: ReadonlyMap<string, () => Readable & NodeJS.WritableStream> = new Map([
  ['gzip', () => zlib().createGunzip()],
  ['x-gzip', () => zlib().createGunzip()],
  ['deflate', () => zlib().createInflate()],
  ['br', () => zlib().createBrotliDecompress()],
  ['zstd', () => zlib().createZstdDecompress()],
])
