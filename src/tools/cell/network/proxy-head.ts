import type { IncomingMessage } from 'node:http'

/** They are between two neighbours, or name the host once more. */
const OWN = new Set([
  'connection',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * What of a request's headers goes on, name after value, with the framing of its body. undefined: a framing that is not
 * known here. The host is that of the URL, whatever the request says.
 */
export function requestHead(request: IncomingMessage): readonly string[] | undefined {
  const { 'transfer-encoding': encoding } = request.headers
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'chunked') return undefined
  return [...passedOn(request), ...(encoding === undefined ? [] : ['transfer-encoding', 'chunked'])]
}

/** What goes on, name after value. */
export function passedOn({ rawHeaders, headers }: IncomingMessage): string[] {
  const named = String(headers.connection ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== 'content-length') // without it the body would be the next request
  const kept: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase()
    if (!OWN.has(name) && !named.includes(name)) kept.push(rawHeaders[at]!, rawHeaders[at + 1]!)
  }
  return kept
}
