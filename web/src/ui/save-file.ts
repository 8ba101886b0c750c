/** For a download that the browser has not begun to read yet. Milliseconds. */
const KEPT_MS = 60_000

/**
 * Saves what has come with the token of this page. A blob belongs to the origin of the page: it is of a type that no
 * browser shows, so that markup in it never runs where the token can be read.
 */
export function saveFile(name: string, content: string | Uint8Array<ArrayBuffer>): void {
  const url = URL.createObjectURL(new Blob([content], { type: 'application/octet-stream' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS)
}
