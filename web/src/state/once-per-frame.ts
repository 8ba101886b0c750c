/** Maximum delay on a hidden page. Milliseconds. */
const HIDDEN_MS = 500

/**
 * Calls `listener` at most once per frame, however often `notify` is called. In the background, where the browser draws
 * no frames, it calls it twice a second.
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
