import { OffshootError } from '../../core/errors.ts'

/**
 * Normalises a base URL, which people set with or without the version: the result always ends with it. @throws
 * OffshootError `config` with the source of a value that is not an http(s) URL.
 */
export const baseUrl = {
  anthropic: (url: string, source: string) => withVersion(url, source, /\/v\d+$/, '/v1'),
  google: (url: string, source: string) => withVersion(url, source, /\/v\d+(alpha|beta)?\d*$/, '/v1beta'),
  /** OpenAI's tools want the version in the URL: only a bare host lacks it by mistake. */
  openai: (url: string, source: string) => withVersion(url, source, /\/[^/]+$/, '/v1'),
  ollama: ollamaUrl,
} as const

/**
 * `OLLAMA_HOST` in Ollama's own syntax: `host`, `host:port`, `:port` or a URL; 0.0.0.0 is an address to listen on, not
 * to connect to.
 */
function ollamaUrl(host: string | undefined, source: string): string {
  const text = host?.trim() || '127.0.0.1:11434'
  const hasScheme = /^https?:\/\//i.test(text)
  const url = parse(hasScheme ? text : `http://${text.startsWith(':') ? `127.0.0.1${text}` : text}`, source)
  if (!hasScheme && !/:\d+(\/|$)/.test(text)) url.port = '11434'
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = '127.0.0.1'
  return `${trimmed(url)}${trimmed(url).endsWith('/v1') ? '' : '/v1'}`
}

function withVersion(text: string, source: string, version: RegExp, added: string): string {
  const url = parse(text.trim(), source)
  return version.test(url.pathname.replace(/\/+$/, '')) ? trimmed(url) : trimmed(url) + added
}

function parse(text: string, source: string): URL {
  const url = URL.parse(text)
  if (url && (url.protocol === 'http:' || url.protocol === 'https:')) return url
  throw new OffshootError('config', `${source} is not an http or https URL: ${text}`)
}

function trimmed(url: URL): string {
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}
