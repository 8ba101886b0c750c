import type http from 'node:http'
import type { Socket } from 'node:net'
import { pipeline, type Duplex, type Readable } from 'node:stream'
import { ToolError } from '../port.ts'

export interface Sent {
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

const MAX_HEADER_BYTES = 64 * 1024

/** Sends one request on its own connection and resolves with the response head. */
export function exchange(
  url: URL,
  socket: Socket,
  { method, headers, body }: Sent,
  signal: AbortSignal,
): Promise<http.IncomingMessage> {
  const http = process.getBuiltinModule('node:http') // as in model/fetch.ts
  return new Promise((resolve, reject) => {
    const request = http.request({
      createConnection: () => socket,
      method,
      path: url.pathname + url.search,
      headers: {
        host: url.host,
        connection: 'close',
        'accept-encoding': 'gzip, br, zstd',
        ...headers,
        ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
      },
      maxHeaderSize: MAX_HEADER_BYTES,
      insecureHTTPParser: false,
    })
    const onAbort = () => {
      request.destroy()
      socket.destroy()
      reject(signal.reason as Error)
    }
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    const settled = () => signal.removeEventListener('abort', onAbort)
    request.on('response', (message) => {
      settled()
      message.on('error', () => {}) // the reader of the body gets the error
      resolve(message)
    })
    const fail = (error: Error) => {
      settled()
      socket.destroy()
      reject(error)
    }
    request.on('error', fail)
    request.on('upgrade', () => fail(new UnaskedUpgrade()))
    request.end(body)
  })
}

/** The server switched protocols without a request to do so. */
class UnaskedUpgrade extends Error {
  readonly code = 'ERR_HTTP_UPGRADE'
}

/**
 * The whole body, decompressed. @throws ToolError `too_large` beyond `maxBytes`, compressed or not, and
 * `unsupported_encoding`; rethrows errors of the connection and of the decompression.
 */
export async function readBody(
  message: http.IncomingMessage,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Buffer> {
  const source = decoded(message)
  const onAbort = () => void source.destroy(signal.reason as Error)
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    if (Number(message.headers['content-length']) > maxBytes) throw tooLarge(maxBytes)
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of source as AsyncIterable<Buffer>) {
      if ((bytes += chunk.length) > maxBytes) throw tooLarge(maxBytes)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  } finally {
    signal.removeEventListener('abort', onAbort)
    message.destroy()
  }
}

function tooLarge(maxBytes: number): ToolError {
  return new ToolError('too_large', `the response is larger than ${maxBytes / 1024 / 1024} MiB`)
}

/** Accepts one encoding only: no honest server combines several. */
function decoded(message: http.IncomingMessage): Readable {
  const encoding = message.headers['content-encoding']?.trim().toLowerCase() ?? ''
  if (encoding === '' || encoding === 'identity') return message
  const decoder = DECODERS.get(encoding)?.()
  if (decoder) return pipeline(message, decoder, () => {})
  message.destroy()
  const shown = /^[\w, -]{1,40}$/.test(encoding) ? ` (${encoding})` : ''
  throw new ToolError('unsupported_encoding', `the response uses an unsupported compression${shown}`)
}

/** Maximum window size for zstd, as specified for the web. */
const ZSTD_WINDOW_LOG = 23

/** Loaded late: few responses are compressed. */
const zlib = () => process.getBuiltinModule('node:zlib')

const DECODERS: ReadonlyMap<string, () => Duplex> = new Map([
  ['gzip', () => zlib().createGunzip()],
  ['x-gzip', () => zlib().createGunzip()],
  ['deflate', () => zlib().createInflate()],
  ['br', () => zlib().createBrotliDecompress()],
  [
    'zstd',
    () =>
      zlib().createZstdDecompress({ params: { [zlib().constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG } }),
  ],
])
