import type { AgentDefinition } from '../../core/agent.ts'
import type { EventDraft } from '../../core/events.ts'
import { finishOfRun } from '../../core/finish-reason.ts'
import { OffshootError } from '../../core/errors.ts'
import type { CallId, RunId } from '../../core/ids.ts'
import type { Fact } from '../../core/receipt.ts'
import type { Run, RunFacts } from '../../core/run.ts'
import { enterState, type NextState } from '../../core/run-steps.ts'
import { isFinal, state, type CancelEnd } from '../../core/run-status.ts'
import { systemClock } from '../../exec/system-clock.ts'
import type { Grant, Level } from '../../permissions/types.ts'
import type { EndedCall, Permit, StartedCall } from '../../loop/ports.ts'
import type { AgentAuthor, ToolCallPart, ToolResultPart } from '../../core/message.ts'
import type { Reader } from '../../store/port.ts'
import type { AnyTool, FileLedger, ResolvedPath } from '../../tools/port.ts'
import type { PreparedSpawn } from './prepared-spawn.ts'
import type { Change } from '../log/recorder.ts'
import { HeldRow } from './held-row.ts'
import { unreadReports } from './unread-reports.ts'
import type { PartialMessage } from './partial-message.ts'
import type { CheckedReport } from './checked-report.ts'

/** Why a run must stop; the reason of its AbortSignal. */
export type StopReason =
  | {
      readonly verb: 'pause'
      /** `restart`: the driving program exits, or stops driving it. */
      readonly why: 'user' | 'parent' | 'restart' | 'stall' | 'timeout'
      /** Its background children keep running. */
      readonly keepsBackground?: true
      /** Open questions stay open for the process that recovers the run. */
      readonly keepsAsking?: true
    }
  | {
      readonly verb: 'cancel'
      /** `restart`: the driving program was asked to stop twice. */
      readonly by: CancelEnd
      /** An agent above the parent did it, so the parent does not know yet. */
      readonly isUnknownToParent?: true
    }

/** A run, live or only stored. */
export interface HasRow {
  readonly row: Run
}

/** A run that this process drives: its row as last written, and its in-memory state. */
export interface LiveRun {
  readonly row: Run
  /** Changes its row. */
  readonly held: HeldRow
  readonly agent: AgentDefinition
  /** The rules that bind it: the root level first, its own last. */
  readonly chain: readonly Level[]
  /** Directories outside the workspace that a person allowed. */
  readonly opened: readonly Grant[]
  readonly files: FileLedger
  /** The paths of each call at the time of its decision. */
  readonly decidedPaths: Map<CallId, readonly ResolvedPath[]>
  /** When this process created it, by the system clock, which file times use. */
  readonly began: number
  /** What the tools of unfinished calls recorded. */
  readonly facts: Map<CallId, Fact[]>
  /** Files read for calls that are about to start a subagent. */
  readonly prepared: Map<CallId, PreparedSpawn>
  /** Pending approval of the subagents of one answer, by its first call; undefined: it covered only one. */
  readonly fanOuts: Map<CallId, Promise<Permit | undefined>>
  controller: AbortController
  /** The latest run of each subagent that it started, by call. */
  readonly children: Map<CallId, LiveRun>
  parent: LiveRun | undefined
  /** The parent's call that waits for this run. */
  call: Pick<StartedCall, 'part' | 'title'> | undefined
  /** Its tools, except `task`; children get only tools that their parent has. */
  readonly tools: readonly AnyTool[]
  /** Resolves when the run has stopped and that is stored. */
  stopped: Promise<void>
  markStopped: () => void
  /** Resolves when a paused run is driven again. */
  again: Promise<void>
  markAgain: () => void
  /** Resolves when it gets the slot that it last asked for. */
  granted: Promise<void>
  /** The children that it waits for. */
  awaits: Set<LiveRun>
  /** Whether nothing else is left of its turn. */
  onlyWaits: boolean
  /** Calls whose question stays open when this attempt stops. */
  readonly stillAsking: Set<CallId>
  /** Writer for the results of its calls: set while it is driven, or once a result has arrived. */
  journal: CallWriter | undefined
  /** Set once it must stop. */
  stop: StopReason | undefined
  /** Resolves when the waiting call is answered early, because the run was moved to the background. */
  detached: Promise<void>
  markDetached: () => void
  /** Whether this attempt has ever been driven. */
  hasDriver: boolean
  /** Whether an attempt is in progress; it may briefly outlast the run's state. */
  isDriven: boolean
  /** Remaining time, milliseconds; null: no limit. */
  timeLeftMs: () => number | null
  /** Whether an earlier attempt exists, whose work this one continues. */
  resumed: boolean
  /** It was asked to continue a truncated answer, possibly of an earlier run. */
  goesOn?: boolean
  /** The last text checked as its report, with the result. */
  checked?: { readonly text: string; readonly result: CheckedReport }
  /** Why it cannot be driven: a required agent is no longer defined. */
  readonly unusable: OffshootError | undefined
  /** Why it cannot resume here: custom tools of its program are missing. */
  readonly lacksTools: OffshootError | undefined
}

/** Writes the effect on a call inside another transaction: the end of its child, or an approval. */
export interface CallWriter {
  /** Whether the call has no result yet. */
  isOpen(callId: CallId): boolean
  writeResult(change: Change, call: EndedCall): ToolResultPart
  /** A change with results was not stored: their calls are open again. */
  reread(reader: Reader): void
  writeAwaiting(change: Change, call: Pick<StartedCall, 'part' | 'tool' | 'title'>): void
  /** The calls of the current answer. */
  calls(): readonly ToolCallPart[]
  /** The streaming answer so far. */
  partial(): PartialMessage | undefined
  /** Makes the run reject: what it waits for cannot be written. */
  fail(error: unknown): void
}

/** Fields of a run's event besides its row. */
export interface RunEventDetails {
  readonly input?: string
  readonly report?: string | null
  /** Its place in the queue; 1: next. */
  readonly position?: number
  /** It no longer waits for budget and joins the queue. */
  readonly waitingFor?: null
  /** The run paused with reports that no request has read. */
  readonly unreadReports?: number
}

export type LiveRunStart = Pick<LiveRun, 'row' | 'agent' | 'chain' | 'opened' | 'parent' | 'call' | 'tools'> &
  Partial<Pick<LiveRun, 'unusable' | 'lacksTools'>>

export function createLiveRun(start: LiveRunStart): LiveRun {
  const { row, ...rest } = start
  const held = new HeldRow(row)
  return {
    unusable: undefined,
    lacksTools: undefined,
    ...rest,
    held,
    get row() {
      return held.row
    },
    timeLeftMs: () => row.limits.timeoutMs,
    files: createFileLedger(),
    decidedPaths: new Map(),
    facts: new Map(),
    began: systemClock.now(),
    prepared: new Map(),
    fanOuts: new Map(),
    children: new Map(),
    ...newAttempt(),
  }
}

/** State that each attempt resets. */
function newAttempt() {
  const { promise: stopped, resolve: markStopped } = Promise.withResolvers<void>()
  const { promise: again, resolve: markAgain } = Promise.withResolvers<void>()
  const { promise: detached, resolve: markDetached } = Promise.withResolvers<void>()
  return {
    controller: new AbortController(),
    stopped,
    markStopped,
    again,
    markAgain,
    granted: Promise.resolve(),
    awaits: new Set<LiveRun>(),
    onlyWaits: false,
    stillAsking: new Set<CallId>(),
    journal: undefined,
    stop: undefined,
    detached,
    markDetached,
    hasDriver: false,
    isDriven: false,
    resumed: false,
  }
}

/** Makes a stopped run drivable again. Its last attempt must be over. */
export function startAttempt(run: LiveRun): void {
  const { again, markAgain } = run
  Object.assign(run, newAttempt(), { resumed: true, again, markAgain })
}

/** Marks a run as driven and wakes callers that wait for it to resume. */
export function notifyDriven(run: LiveRun): void {
  const { markAgain } = run
  const { promise: again, resolve } = Promise.withResolvers<void>()
  Object.assign(run, { again, markAgain: resolve })
  markAgain()
}

/** Replaces a run among its parent's children, or removes it if another call gets the new one. */
export function replaceChild(run: LiveRun, next: LiveRun | undefined): void {
  const children = run.parent?.children
  for (const [callId, child] of children ?? []) {
    if (child !== run) continue
    if (next) children!.set(callId, next)
    else children!.delete(callId)
  }
}

/**
 * Stops a run and everything below it, except background runs if the reason keeps them. A cancel overrides an earlier
 * pause; otherwise the first reason stays.
 */
export function stopRun(run: LiveRun, reason: StopReason): void {
  if (run.stop?.verb !== 'cancel' && (!run.stop || reason.verb === 'cancel')) run.stop = asAsked(run, reason)
  run.controller.abort(reason)
  const below = reasonBelow(reason)
  for (const child of run.children.values()) if (stopsBelow(reason, child)) stopRun(child, below)
}

/** A program that exits stops everything it drives; any other reason stops runs below because of the one above. */
function reasonBelow(reason: StopReason): StopReason {
  if (reason.verb === 'pause') return { ...reason, why: 'parent' }
  return { verb: 'cancel', by: reason.by === 'restart' ? 'restart' : 'parent' }
}

/** If a run was asked to pause before its program exited or the run above it stopped, that stays the reason. */
function asAsked({ row: { pausing } }: LiveRun, reason: StopReason): StopReason {
  if (reason.verb !== 'pause' || !pausing) return reason
  const stays = reason.why === 'restart' || (reason.why === 'parent' && pausing === 'user')
  return stays ? { ...reason, why: pausing } : reason
}

/** Whether the run's questions stay open when it stops. */
export function keepsAsking({ stop }: Pick<LiveRun, 'stop'>): boolean {
  return stop?.verb === 'pause' && stop.keepsAsking === true
}

/** Whether a parent's stop for this reason also stops a child. */
export function stopsBelow(reason: StopReason, child: LiveRun): boolean {
  return reason.verb === 'cancel' || !reason.keepsBackground || !child.row.background
}

/**
 * A verb and a new driver may briefly hold separate objects for the same run. @throws OffshootError `conflict` if the
 * stored run has changed in the meantime.
 */
export function checkUnchanged({ tx }: Change, { row }: HasRow): void {
  const stored = tx.get('runs', row.id)
  if (stored?.status === row.status && stored.stopNo === row.stopNo) return
  throw new OffshootError('conflict', `${row.branchId} has just become ${stored?.status ?? 'nothing'}`, {
    hint: 'try again',
  })
}

/** What a state change writes and emits besides the state. */
export interface Besides {
  readonly row?: Partial<RunFacts>
  readonly lastText?: RunEventDetails
}

/**
 * Moves a run to its next state together with other changes, and emits the event. @throws OffshootError for an illegal
 * transition.
 */
export function changeRun(
  change: Change,
  { held }: Pick<LiveRun, 'held'>,
  to: NextState,
  { row: facts = {}, lastText: details = {} }: Besides = {},
): void {
  const { status: from, startedAt, pausing } = held.row
  const next: Run = { ...enterState(held.row, to, change.at), ...facts }
  const asked = next.endedAt !== null && pausing ? { pausing: null } : {} // the pause has happened, or comes too late
  change.tx.update('runs', next.id, { ...stateColumns(next), ...facts, ...asked })
  held.enter(next)
  const count = unreadReports(change.tx, next)
  const more = { from, ...(count > 0 ? { unreadReports: count } : {}), ...details }
  change.event(runEvent(held, eventTypeOf(to.status, from, startedAt), change.at, more))
}

function stateColumns({ status, reason, waitingFor, endReason, error, startedAt, endedAt }: Run) {
  return { status, reason, waitingFor, endReason, error, startedAt, endedAt }
}

/** A new run with a slot starts in the change that inserts it. */
export function startAtOnce({ at }: Change, { held }: Pick<LiveRun, 'held'>): void {
  held.enter(enterState(held.row, state.running, at))
}

/** Events about what the run waits for. */
const WAITS = new Set<RunEventType>(['run.waiting', 'run.queued'])

type RunEventType = Extract<EventDraft['type'], `run.${string}`>

function eventTypeOf(status: Run['status'], from: Run['status'], startedAt: number | null): RunEventType {
  if (status !== 'running') return `run.${status}`
  return from === 'waiting' || startedAt !== null ? 'run.resumed' : 'run.started'
}

export function runEvent(
  run: HasRow,
  type: RunEventType,
  at: number,
  more: RunEventDetails & { readonly from: Run['status'] | null },
): EventDraft {
  const { row } = run
  const {
    status,
    reason,
    endReason,
    agent,
    description,
    model,
    turns,
    toolCalls,
    usage,
    costUsd,
    background,
    error,
  } = row
  return {
    type,
    ...eventScope(run, at),
    status,
    reason,
    endReason,
    finishReason: finishOfRun(row),
    agent,
    description,
    model,
    turns,
    maxTurns: row.limits.maxTurns,
    toolCalls,
    usage,
    costUsd,
    background,
    callId: row.originCallId,
    ...(error ? { error } : {}),
    ...(WAITS.has(type) && row.waitingFor ? { waitingFor: row.waitingFor } : {}),
    ...(type === 'run.progress' ? { lastAction: row.lastAction, ...pausingOf(row) } : {}),
    ...more,
  } as EventDraft
}

/** The author of messages that the run's agent writes to another agent. */
export function authorOfRun({ row: { agent, branchId } }: HasRow): AgentAuthor {
  return { agent, branchId }
}

function pausingOf({ pausing }: Run): { readonly pausing?: 'user' | 'parent' } {
  return pausing ? { pausing } : {}
}

/** The runs above it, nearest first. */
export function ancestorsOf({ parent }: LiveRun): LiveRun[] {
  return parent ? [parent, ...ancestorsOf(parent)] : []
}

/** Whether a cancel of this run is requested but not stored yet: its end may take a while. */
export function isBeingCancelled({ stop, row }: Pick<LiveRun, 'stop' | 'row'>): boolean {
  return stop?.verb === 'cancel' && !isFinal(row.status)
}

/** Agents from the root to a run. */
export function agentPath({ parent, row }: LiveRun): string[] {
  return parent ? [...agentPath(parent), row.agent] : [row.agent]
}

/** Where an event of this run belongs. */
export function eventScope(run: HasRow, at: number) {
  const { conversationId, branchId, id: runId, parentRunId, depth } = run.row
  return { at, conversationId, branchId, runId: runId as RunId | null, parentRunId, depth }
}

function createFileLedger(): FileLedger {
  const stamps = new Map<string, Parameters<FileLedger['record']>[1]>()
  return { seen: (path) => stamps.get(path), record: (path, stamp) => void stamps.set(path, stamp) }
}
