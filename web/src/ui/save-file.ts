/** Time for the browser to start reading a download. Milliseconds. */
const KEPT_MS = 60_000

/**
 * Saves content fetched with this page's token. A blob shares the page's origin, so it gets a type that no browser
 * renders: markup in it never runs where it could read the token.
 */
export function saveFile(name: string, content: string | Uint8Array<ArrayBuffer>): void {
  const url = URL.createObjectURL(new Blob([content], { type: 'application/octet-stream' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS)
}
