import { headline } from '../core/report-summary.ts'
import { isFinal, isStopped } from '../core/run-status.ts'
import { addCost, addUsage, noUsage } from '../core/usage.ts'

/** What a client derives of events in the same manner as the server does of rows. */
export const shared = { headline, isFinal, isStopped, addCost, addUsage, noUsage } as const
