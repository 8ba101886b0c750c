/** The signals that ask the program to end, with the exit codes of docs/cli.md. SIGHUP: the terminal has gone. */
export const endSignals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const
export type EndSignal = keyof typeof endSignals

/** Until a command listens itself, a signal ends the program at once: nothing has been started that would have to end first. */
export function endEarly(): void {
  for (const signal of signals()) process.on(signal, exitNow)
}

/** From here on `handler` hears of each such signal; the returned function goes back to ending at once. */
export function onEndSignal(handler: (signal: EndSignal) => void): () => void {
  for (const signal of signals()) process.off(signal, exitNow).on(signal, handler)
  return () => {
    for (const signal of signals()) process.off(signal, handler).on(signal, exitNow)
  }
}

function signals(): EndSignal[] {
  return Object.keys(endSignals) as EndSignal[]
}

function exitNow(signal: NodeJS.Signals): void {
  process.exit(endSignals[signal as EndSignal])
}
