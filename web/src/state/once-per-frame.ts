/** Maximum delay of a hidden page. Milliseconds. */
const HIDDEN_MS = 500

/**
 * Hands on that something has changed, at most once a frame however often it is told: what a person sees changes no
 * oftener. In the background, where there are no frames, twice a second.
 */
export function oncePerFrame(listener: () => void): {
  readonly notify: () => void
  readonly stop: () => void
} {
  let frame: number | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = () => {
    if (frame !== undefined) cancelAnimationFrame(frame)
    clearTimeout(timer)
    frame = timer = undefined
  }
  const run = () => {
    stop()
    listener()
  }
  const notify = () => {
    if (frame !== undefined) return
    frame = requestAnimationFrame(run)
    timer = setTimeout(run, HIDDEN_MS)
  }
  return { notify, stop }
}
