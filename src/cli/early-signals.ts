/** The signals that ask the program to end, with the exit codes of docs/cli.md. SIGHUP: the terminal has gone. */
export const endSignals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const
export type EndSignal = keyof typeof endSignals

/** Ctrl-C is a person who pauses; the other two end the program, and nobody says who sent them. */
export function stopOfSignal(signal: EndSignal): 'pause' | 'leave' {
  return signal === 'SIGINT' ? 'pause' : 'leave'
}

/** The same for a signal that comes while the program stops already: nothing can be continued then. */
export function stopOfNextSignal(signal: EndSignal): 'cancel' | 'end' {
  return signal === 'SIGINT' ? 'cancel' : 'end'
}

type Handler = (signal: EndSignal) => void

const handlers = new Set<Handler>()

/** Until a command listens itself, a signal ends the program at once: nothing has been started that would have to end first. */
export function endEarly(): void {
  for (const signal of Object.keys(endSignals) as EndSignal[])
    if (!process.listeners(signal).includes(hear)) process.on(signal, hear)
}

/** From here on `handler` hears of each such signal; the returned function goes back to ending at once. */
export function onEndSignal(handler: Handler): () => void {
  endEarly()
  handlers.add(handler)
  return () => void handlers.delete(handler)
}

/**
 * The one listener, which is never taken off: a signal that has arrived and is not dispatched yet is lost when the last
 * listener of its kind leaves, even if another one comes in the same turn.
 */
function hear(signal: NodeJS.Signals): void {
  const known = signal as EndSignal
  if (handlers.size === 0) process.exit(endSignals[known])
  for (const handler of handlers) handler(known)
}
