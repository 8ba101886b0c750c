import type http from 'node:http'
import type { Readable } from 'node:stream'
import zlib from 'node:zlib'
import { AnswerError, type AnswerBounds } from './answer.ts'

/**
 * The body of an answer, decompressed, with back-pressure: nothing is read from the socket beyond its buffer while
 * nobody pulls. Everything that has arrived in between comes as one chunk, which spares a reader that lags the cost of
 * many small ones. An error's body ends at its bound; any other that exceeds one errors with an AnswerError.
 */
export function bodyStream(
  message: http.IncomingMessage,
  signal: AbortSignal | undefined,
  bounds: AnswerBounds,
): ReadableStream<Uint8Array> {
  const source = decoded(message)
  const take = createBound(message, bounds)
  let controller!: ReadableStreamDefaultController<Uint8Array>
  let wanted = false
  let settled = false
  const settle = (end: () => void) => {
    if (settled) return
    settled = true
    signal?.removeEventListener('abort', onAbort)
    source.destroy()
    message.destroy()
    end()
  }
  const fail = (error: unknown) => settle(() => controller.error(error))
  const onAbort = () => fail(signal!.reason)
  const pass = () => {
    const chunk = settled ? null : (source.read() as Buffer | null)
    wanted = chunk === null
    if (chunk === null) return
    const { error, last, bytes } = take(chunk)
    if (error) return fail(error)
    controller.enqueue(bytes)
    if (last) settle(() => controller.close())
  }
  return new ReadableStream<Uint8Array>(
    {
      start(created) {
        controller = created
        signal?.addEventListener('abort', onAbort, { once: true })
        source.on('readable', () => wanted && pass())
        source.on('end', () => settle(() => controller.close()))
        source.on('error', fail)
        if (source !== message) message.on('error', fail)
        if (signal?.aborted) onAbort()
      },
      pull: pass,
      cancel: () => settle(() => {}),
    },
    { highWaterMark: 1 },
  )
}

interface Taken {
  readonly bytes: Uint8Array
  /** Nothing after these bytes is wanted. */
  readonly last?: boolean
  readonly error?: AnswerError
}

/** Counts by the chunk: the cost of a delta must not grow with what came before it. */
function createBound(
  { statusCode = 0, headers }: http.IncomingMessage,
  { errorBytes, lineBytes, totalBytes }: AnswerBounds,
): (chunk: Buffer) => Taken {
  const isError = statusCode < 200 || statusCode > 299
  const hasLines = /^text\/event-stream\b/i.test(headers['content-type'] ?? '')
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

/** Where the last line of the chunk ends; lines may end with CR alone. */
function lineEnd(chunk: Buffer): number {
  const end = chunk.lastIndexOf(10)
  return end < 0 ? chunk.lastIndexOf(13) : end
}

function tooLong(what: string, bytes: number): AnswerError {
  const size = bytes >= 1024 * 1024 ? `${Math.floor(bytes / (1024 * 1024))} MiB` : `${bytes} bytes`
  return new AnswerError(`${what} is longer than ${size}, more than is read`)
}

/** Compression is not asked for, since it holds back what a stream sends, but a server may use it all the same. */
function decoded(message: http.IncomingMessage): Readable {
  const decoder = DECODERS.get(message.headers['content-encoding']?.toLowerCase() ?? '')?.()
  return decoder ? message.pipe(decoder) : message
}

const DECODERS: ReadonlyMap<string, () => Readable & NodeJS.WritableStream> = new Map([
  ['gzip', () => zlib.createGunzip()],
  ['x-gzip', () => zlib.createGunzip()],
  ['deflate', () => zlib.createInflate()],
  ['br', () => zlib.createBrotliDecompress()],
  ['zstd', () => zlib.createZstdDecompress()],
])
