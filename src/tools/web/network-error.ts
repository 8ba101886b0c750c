import { ToolError } from '../port.ts'

/** Describes network errors without their own messages, which may contain what the other side sent. */
export function networkError(error: unknown, url: URL): ToolError {
  if (error instanceof ToolError) return error
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? ''
  return new ToolError('network', `${url.host}: ${wordsFor(code)}`)
}

function wordsFor(code: string): string {
  const known = WORDS[code]
  if (known !== undefined) return known
  if (/^HPE_|^ERR_HTTP/.test(code)) return 'the response is not valid HTTP'
  if (/^Z_|ZLIB|ZSTD|BROTLI|_ERR_(FORMAT|ALLOC)/.test(code)) return 'the compressed response is damaged'
  if (/CERT|SIGNATURE|^ERR_TLS_|^ERR_SSL_|^EPROTO$/.test(code))
    return `a secure connection cannot be made (${shown(code)})`
  return `the connection failed (${shown(code)})`
}

function shown(code: string): string {
  return /^[A-Z0-9_]{1,60}$/.test(code) ? code : 'for an unknown reason'
}

const WORDS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'the host could not be looked up; there may be no network',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection closed before the response was complete',
  EPIPE: 'the connection closed before the response was complete',
  ETIMEDOUT: 'it does not respond',
  EHOSTUNREACH: 'it cannot be reached',
  ENETUNREACH: 'it cannot be reached',
  HPE_HEADER_OVERFLOW: 'the headers of its response are larger than 64 KiB',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  CERT_HAS_EXPIRED: 'its certificate has expired',
}
