import { OffshootError } from './errors.ts'

/** The table of statuses (invariant S1). `status` is always one bare word; `reason` says more. */
export type RunStatus = 'queued' | 'running' | 'waiting' | 'paused' | 'completed' | 'failed' | 'cancelled'

const waitReasons = ['approval', 'question', 'children', 'retry'] as const
/** What a run waits for: the code for `waitingFor.detail`. */
export type WaitReason = (typeof waitReasons)[number]
export type PauseReason = 'limit' | 'budget' | 'user' | 'parent' | 'restart' | 'stall'
export type RunReason = WaitReason | PauseReason

export type EndReason = PauseEnd | 'done' | 'error'

/** Reasons for a pause. */
const pauseEnds = [
  'max_turns',
  'timeout',
  'max_tokens',
  'max_output_tokens',
  'context_window',
  'budget',
  'stall',
  'restart',
  'user',
  'parent',
] as const
export type PauseEnd = (typeof pauseEnds)[number]

/** Reasons for a cancel. `restart`: its program was asked to stop. */
const cancelEnds = ['user', 'parent', 'restart'] as const
export type CancelEnd = (typeof cancelEnds)[number]

const limitEnds = ['max_turns', 'timeout', 'max_tokens', 'max_output_tokens', 'context_window'] as const
type LimitEnd = (typeof limitEnds)[number]

function isLimit(why: PauseEnd): why is LimitEnd {
  return (limitEnds as readonly PauseEnd[]).includes(why)
}

/** A status with its own fields: the only way to set a run's status. */
export type RunState =
  | { readonly status: 'queued'; readonly reason: null; readonly endReason: null }
  | { readonly status: 'running'; readonly reason: null; readonly endReason: null }
  | { readonly status: 'waiting'; readonly reason: WaitReason; readonly endReason: null }
  | { readonly status: 'paused'; readonly reason: PauseReason; readonly endReason: PauseEnd }
  | { readonly status: 'completed'; readonly reason: null; readonly endReason: 'done' }
  | { readonly status: 'failed'; readonly reason: null; readonly endReason: 'error' }
  | { readonly status: 'cancelled'; readonly reason: null; readonly endReason: CancelEnd }

const NEXT: Record<RunStatus, readonly RunStatus[]> = {
  queued: ['running', 'paused', 'completed', 'failed', 'cancelled'],
  running: ['waiting', 'paused', 'completed', 'failed', 'cancelled'],
  // after its wait, a run joins the head of the queue
  waiting: ['running', 'queued', 'paused', 'completed', 'failed', 'cancelled'],
  paused: ['queued', 'cancelled'],
  completed: [],
  failed: [],
  cancelled: [],
}

export const runStatuses = Object.keys(NEXT) as readonly RunStatus[]

/** Final for a run; its branch can always get a new run. */
export function isFinal(status: RunStatus): boolean {
  return NEXT[status].length === 0
}

/** Stopped: final, or paused. A parent waits for this. */
export function isStopped(status: RunStatus): boolean {
  return status === 'paused' || isFinal(status)
}

/**
 * Whether a stopped run owes its parent a report: not if a person, its parent or a restart paused it, because it will
 * resume.
 */
export function isReported({
  status,
  reason,
}: {
  readonly status: RunStatus
  readonly reason: RunReason | null
}): boolean {
  if (!isStopped(status)) return false
  return status !== 'paused' || !(reason === 'user' || reason === 'parent' || reason === 'restart')
}

/**
 * Whether its report wakes the agent above: not while that agent works, and not if a call of it waits for the report.
 * An ended parent has no such call.
 */
export function wakesParent(
  run: Parameters<typeof isReported>[0] & {
    readonly parentRunId: string | null
    readonly background: boolean
  },
  parent: { readonly status: RunStatus } | undefined,
): boolean {
  if (run.parentRunId === null || !isStopped(run.status)) return false
  return isReported(run) || run.background || (parent !== undefined && isFinal(parent.status))
}

/** Why a run is paused, from its codes: `limit: max turns`, `user`. null: unknown. */
export function stopCause({
  reason,
  endReason,
}: {
  readonly reason: RunReason | null
  readonly endReason: EndReason | null
}): string | null {
  return reason === 'limit' && endReason !== null ? `limit: ${endReason.replaceAll('_', ' ')}` : reason
}

export function canBecome(from: RunStatus, to: RunStatus): boolean {
  return NEXT[from].includes(to)
}

/**
 * Checks a transition and returns the new state. @throws OffshootError `internal` for a transition missing from the
 * table.
 */
export function transition(from: RunStatus, to: RunState): RunState {
  if (!canBecome(from, to.status)) {
    throw new OffshootError('internal', `a run cannot go from ${from} to ${to.status}`)
  }
  return to
}

export const state = {
  queued: { status: 'queued', reason: null, endReason: null },
  running: { status: 'running', reason: null, endReason: null },
  completed: { status: 'completed', reason: null, endReason: 'done' },
  failed: { status: 'failed', reason: null, endReason: 'error' },
  waiting: (reason: WaitReason) => ({ status: 'waiting', reason, endReason: null }),
  cancelled: (by: CancelEnd) => ({ status: 'cancelled', reason: null, endReason: by }),
  /** Combines a pause with its end reason: several end reasons share the reason `limit`, the others have their own. */
  paused: (why: PauseEnd) => ({
    status: 'paused',
    reason: isLimit(why) ? 'limit' : why,
    endReason: why,
  }),
} as const satisfies Record<string, RunState | ((arg: never) => RunState)>

const everyState: readonly RunState[] = [
  state.queued,
  state.running,
  ...waitReasons.map(state.waiting),
  ...pauseEnds.map(state.paused),
  state.completed,
  state.failed,
  ...cancelEnds.map(state.cancelled),
]

/** The state of a row; undefined if its reason or end belongs to another status. */
export function stateOf(row: {
  readonly status: RunStatus
  readonly reason: RunReason | null
  readonly endReason: EndReason | null
}): RunState | undefined {
  return everyState.find(
    ({ status, reason, endReason }) =>
      status === row.status && reason === row.reason && endReason === row.endReason,
  )
}

/** Whether status, reason and end fit together. null: an older program kept none. */
export function isPossible(told: {
  readonly status: RunStatus
  readonly reason: RunReason | null
  readonly endReason: EndReason | null
}): boolean {
  return everyState.some(
    ({ status, reason, endReason }) =>
      status === told.status &&
      (told.reason === null || told.reason === reason) &&
      (told.endReason === null || told.endReason === endReason),
  )
}
