/** How long the page may take to draw what is looked for. Milliseconds. */
const WITHIN_MS = 1000

/** Gives the focus back to what opened a page that is left: the first of these names that is there (`data-opener`). */
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
