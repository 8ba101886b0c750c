import { headline } from '../core/report-summary.ts'
import { isFinal, isStopped } from '../core/run-status.ts'
import { activityOf } from '../core/status-line/activity.ts'
import { childrenByBranch } from '../core/status-line/child-counts.ts'
import { statusLine } from '../core/status-line/status-line.ts'
import { addCost, addUsage, noUsage } from '../core/usage.ts'

/** What a client derives of events in the same manner as the server does of rows. */
export const shared = {
  headline,
  isFinal,
  isStopped,
  addCost,
  addUsage,
  noUsage,
  statusLine,
  activityOf,
  childrenByBranch,
} as const
