import { decodeHTMLStrict } from 'entities/decode'
import type { SearchHit } from './search-provider.ts'

const MAX_TITLE = 200
const MAX_TEXT = 800

/** Formats one result for a model; null if its address could not be fetched anyway. */
export function resultLines({ url, title, text, date }: SearchHit): string | null {
  const address = URL.parse(url)
  if (!address || !['http:', 'https:'].includes(address.protocol) || address.href.length > 2_000) return null
  const head = `${plain(title, MAX_TITLE) || address.host}${/^\d{4}-\d\d-\d\d/.test(date) ? ` (${date.slice(0, 10)})` : ''}`
  return [head, address.href, plain(text, MAX_TEXT)].filter((line) => line !== '').join('\n   ')
}

/** Removes the tags and entities with which providers mark matches. */
function plain(text: string, max: number): string {
  const shown = decodeHTMLStrict(text.slice(0, max * 4).replace(/<\/?[a-z][a-z0-9]*(?:\s[^<>]*)?>/gi, ''))
  const line = shown.replace(/\s+/g, ' ').trim()
  return line.length > max ? `${line.slice(0, max - 1)}…`.toWellFormed() : line.toWellFormed()
}
