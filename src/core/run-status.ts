import { OffshootError } from './errors.ts'

/** The table of statuses (invariant S1). `status` is always one bare word; `reason` says more. */
export type RunStatus = 'queued' | 'running' | 'waiting' | 'paused' | 'completed' | 'failed' | 'cancelled'

const waitReasons = ['approval', 'question', 'children', 'retry'] as const
/** What a run waits for: the code beside `waitingFor.detail`. */
export type WaitReason = (typeof waitReasons)[number]
export type PauseReason = 'limit' | 'budget' | 'user' | 'parent' | 'restart' | 'stall'
export type RunReason = WaitReason | PauseReason

export type EndReason = PauseEnd | 'done' | 'error'

/** With what a run can pause. */
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

/** With what a run can be cancelled. `restart`: the program that drove it was told to end. */
const cancelEnds = ['user', 'parent', 'restart'] as const
export type CancelEnd = (typeof cancelEnds)[number]

const limitEnds = ['max_turns', 'timeout', 'max_tokens', 'max_output_tokens', 'context_window'] as const
type LimitEnd = (typeof limitEnds)[number]

function isLimit(why: PauseEnd): why is LimitEnd {
  return (limitEnds as readonly PauseEnd[]).includes(why)
}

/** A status with what belongs to it: the only shape in which a run's status is ever set. */
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
  // a run whose wait is over takes its place at the head of the queue
  waiting: ['running', 'queued', 'paused', 'completed', 'failed', 'cancelled'],
  paused: ['queued', 'cancelled'],
  completed: [],
  failed: [],
  cancelled: [],
}

export const runStatuses = Object.keys(NEXT) as readonly RunStatus[]

/** Final for a run; its branch can always get a new one. */
export function isFinal(status: RunStatus): boolean {
  return NEXT[status].length === 0
}

/** Stopped: final, or paused. What a parent waits for. */
export function isStopped(status: RunStatus): boolean {
  return status === 'paused' || isFinal(status)
}

/**
 * Whether its parent is owed a report of what has stopped: not while a person, its parent or a restart has paused it, as
 * it is to go on.
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
 * Whether its report wakes the agent above it, once it goes on: not while it works, and not where a call of its parent
 * waits for the report. A parent that has ended has no such call.
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

/** Why a run is paused, in the words of its codes: `limit: max turns`, `user`. null: nothing is known of it. */
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

/** Checks a step and returns the new state. @throws OffshootError `internal` for a step that the table lacks. */
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
  /** A pause and its why: several end reasons share the reason `limit`, the others are their own. */
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

/** The state that a row is in; undefined where its reason or its end belongs to another status. */
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

/** Whether a status, a reason and an end can be told of one run. null: an older program kept none. */
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
