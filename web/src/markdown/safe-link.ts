/** Where a link of a text may lead; undefined: it is shown as text. Nothing relative: it would lead into this page. */
export function safeLink(href: string): string | undefined {
  const url = URL.parse(href)
  if (!url || !['http:', 'https:', 'mailto:'].includes(url.protocol)) return undefined
  return url.href
}
