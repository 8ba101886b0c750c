import { unlessAborted } from './unless-aborted.ts'
import type { LoopPorts, RequestEstimate, ReservationResult } from './ports.ts'
import { BudgetReached } from './check-budget.ts'
import { whileSuspended, type Watchdog } from './watchdog.ts'

type Reservation = Extract<ReservationResult, { readonly release: () => void }>
type Wait = Extract<ReservationResult, { readonly until: Promise<void> }>

/**
 * Holds the maximum cost of a request until it is released. Waits, visibly, while active runs hold what it needs.
 * @throws BudgetReached if it does not fit, or the signal's reason.
 */
export async function reserveRequest(
  input: number,
  ports: LoopPorts,
  watchdog: Watchdog,
): Promise<Reservation> {
  const { maxOutput, price } = ports.model.info
  const estimate = { input, maxOutput, price }
  const first = ports.budget.ask(estimate)
  const leave = 'until' in first ? await untilFits(first, estimate, ports, watchdog) : first
  if ('why' in leave) throw new BudgetReached(leave)
  return leave
}

/** Asks again after every change. A run that must pause does so without a slot. */
async function untilFits(
  wait: Wait,
  estimate: RequestEstimate,
  ports: LoopPorts,
  watchdog: Watchdog,
): Promise<Exclude<ReservationResult, Wait>> {
  const { budget, clock, journal, signal } = ports
  const since = clock.now()
  let said: string | undefined
  for (let leave: ReservationResult = wait; ; leave = budget.ask(estimate)) {
    if ('why' in leave) return leave
    if ('release' in leave) return await resume(leave, ports, watchdog)
    const { until, held } = leave
    if (held !== said) await journal.waiting('retry', { what: 'retry', code: 'budget', detail: held, since })
    said = held
    await whileSuspended(watchdog, 'itself', () => unlessAborted(until, signal, clock, 0))
  }
}

/** If the run cannot continue, what it was just granted is free again. */
async function resume(
  granted: Reservation,
  { journal, untilSlot }: LoopPorts,
  watchdog: Watchdog,
): Promise<Reservation> {
  try {
    await journal.resumed()
    await whileSuspended(watchdog, 'slot', untilSlot)
    return granted
  } catch (error) {
    granted.release()
    throw error
  }
}
