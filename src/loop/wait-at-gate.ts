import type { Clock } from '../core/clock.ts'
import type { Gate, GateTicket } from '../model/gate.ts'
import { unlessAborted } from './unless-aborted.ts'
import type { LoopPorts } from './ports.ts'
import { checkBudget } from './check-budget.ts'
import type { Watchdog } from './watchdog.ts'

/**
 * Waits, visibly, until a request may start. @throws BudgetReached, or the signal's reason; then its place is given up.
 */
export async function waitAtGate(place: GateTicket, ports: LoopPorts, watchdog: Watchdog): Promise<void> {
  const { gate, journal, clock, signal } = ports
  const since = clock.now()
  const release = watchdog.suspend('itself')
  try {
    while (!gate.start(place)) {
      signal.throwIfAborted()
      const news = gate.news(place)
      await journal.waiting('retry', { what: 'retry', ...gate.reason(), since })
      if (await unlessAborted(news, signal, clock, 0)) await journal.resumed()
    }
    checkBudget(ports) // others have spent in the meantime
  } catch (error) {
    gate.end(place, error)
    throw error
  } finally {
    release()
  }
}

/** A request outside a run's turns: it waits its turn like any other, without retries. */
export async function throughGate<T>(
  gate: Gate,
  clock: Clock,
  signal: AbortSignal,
  ask: () => Promise<T>,
): Promise<T> {
  const place = gate.ticket()
  try {
    while (!gate.start(place)) await unlessAborted(gate.news(place), signal, clock, 0)
    const answer = await ask()
    gate.end(place)
    return answer
  } catch (error) {
    gate.end(place, error)
    throw error
  }
}
