/**
 * The target of a link in a text; undefined: shown as text. Relative links are refused, because they would lead into
 * this page.
 */
export function safeLink(href: string): string | undefined {
  const url = URL.parse(href)
  if (!url || !['http:', 'https:', 'mailto:'].includes(url.protocol)) return undefined
  return url.href
}
