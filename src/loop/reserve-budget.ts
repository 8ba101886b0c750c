import { unlessAborted } from './unless-aborted.ts'
import type { LoopPorts, ReservationResult } from './ports.ts'
import { BudgetReached } from './check-budget.ts'
import { whileSuspended, type Watchdog } from './watchdog.ts'

type Reservation = Extract<ReservationResult, { readonly release: () => void }>

/**
 * Holds what a request may cost at most, until it is released. Waits, visibly, while requests of others hold what it
 * needs: they come to an end. @throws BudgetReached where it does not fit, or the signal's reason.
 */
export async function reserveRequest(
  input: number,
  ports: LoopPorts,
  watchdog: Watchdog,
): Promise<Reservation> {
  const { maxOutput, price } = ports.model.info
  const estimate = { input, maxOutput, price }
  let leave = ports.budget.ask(estimate)
  if ('until' in leave) {
    const since = ports.clock.now()
    await ports.journal.waiting('retry', { what: 'retry', code: 'budget', detail: leave.held, since })
    while ('until' in leave) {
      const { until } = leave
      await whileSuspended(watchdog, 'itself', () => unlessAborted(until, ports.signal, ports.clock, 0))
      leave = ports.budget.ask(estimate)
    }
    await resume(ports, leave)
  }
  if ('why' in leave) throw new BudgetReached(leave)
  return leave
}

/** Where it cannot be stored that a run goes on, the run ends, and what was just granted to it is free again. */
async function resume(
  { journal }: LoopPorts,
  granted: Exclude<ReservationResult, { readonly until: unknown }>,
) {
  try {
    await journal.resumed()
  } catch (error) {
    if ('release' in granted) granted.release()
    throw error
  }
}
