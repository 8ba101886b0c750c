import type { Clock } from '../../core/clock.ts'
import { Gates } from '../../model/gate.ts'
import { SlotTable } from '../run/scheduler.ts'

/** What the runtimes of one process share, whatever their directory: slots and provider gates count per process. */
export interface Shared {
  readonly slots: SlotTable
  readonly gates: Gates
}

export function createShared(clock: Clock, random: () => number): Shared {
  return { slots: new SlotTable(), gates: new Gates(clock, random) }
}
