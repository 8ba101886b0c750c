/** How long to wait for the page to draw the element. Milliseconds. */
const WITHIN_MS = 1000

/**
 * Returns the focus to the element that opened the page just left: the first of these names present (`data-opener`).
 */
export function focusOpener(...names: readonly string[]): void {
  const until = performance.now() + WITHIN_MS
  const look = () => {
    const opener = names
      .map((name) => document.querySelector<HTMLElement>(`[data-opener="${CSS.escape(name)}"]`))
      .find((each) => each !== null)
    if (opener) opener.focus()
    else if (performance.now() < until) requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}
