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

/** Why a run is to stop. The reason of its AbortSignal. */
export type StopReason =
  | {
      readonly verb: 'pause'
      /** `restart`: the program that drives it ends, or leaves it. */
      readonly why: 'user' | 'parent' | 'restart' | 'stall' | 'timeout'
      /** Its background children continue. */
      readonly keepsBackground?: true
      /** What waits for a person keeps its question, and waits for whoever recovers it. */
      readonly keepsAsking?: true
    }
  | {
      readonly verb: 'cancel'
      /** `restart`: the program that drives it was told to end, twice. */
      readonly by: CancelEnd
      /** Its parent knows nothing of it yet: an agent above the parent did it. */
      readonly isUnknownToParent?: true
    }

/** A run, driven or only stored. */
export interface HasRow {
  readonly row: Run
}

/** A run that this process drives: its row as last written, and what only lives in memory. */
export interface LiveRun {
  readonly row: Run
  /** Changes its row. */
  readonly held: HeldRow
  readonly agent: AgentDefinition
  /** The rules that bind it: the root level first, its own last. */
  readonly chain: readonly Level[]
  /** Directories outside of the workspace that a person has opened to it. */
  readonly opened: readonly Grant[]
  readonly files: FileLedger
  /** The paths of each call as they were when it was decided. */
  readonly decidedPaths: Map<CallId, readonly ResolvedPath[]>
  /** When this process made it, by the time of the system, which is that of its files. */
  readonly began: number
  /** What the tool of each call that has no result yet says that it did. */
  readonly facts: Map<CallId, Fact[]>
  /** What was read for each call that is about to start a subagent. */
  readonly prepared: Map<CallId, PreparedSpawn>
  /** What comes of the question about the subagents of one answer, by its first call; undefined: it was about one alone. */
  readonly fanOuts: Map<CallId, Promise<Permit | undefined>>
  controller: AbortController
  /** The latest run of each subagent that it started, by the call. */
  readonly children: Map<CallId, LiveRun>
  parent: LiveRun | undefined
  /** The parent's call that waits for this run. */
  call: Pick<StartedCall, 'part' | 'title'> | undefined
  /** The tools it may use, before `task`; a child gets none that its parent lacks. */
  readonly tools: readonly AnyTool[]
  /** Resolves when the run has stopped and that is on disk. */
  stopped: Promise<void>
  markStopped: () => void
  /** Resolves when the run, which had paused, is driven again. */
  again: Promise<void>
  markAgain: () => void
  /** Resolves when it has got the slot that it asked for last. */
  granted: Promise<void>
  /** Children for whose end something in it waits. */
  awaits: Set<LiveRun>
  /** Whether nothing but those children is left of its turn. */
  onlyWaits: boolean
  /** Calls whose question to a person outlasts the stop of this attempt. */
  readonly stillAsking: Set<CallId>
  /** Where the results of its calls are written: while it is driven, or once something has come for one. */
  journal: CallWriter | undefined
  /** Set once it is to stop. */
  stop: StopReason | undefined
  /** Resolves when the call that waited for it is answered without it: it was moved to the background. */
  detached: Promise<void>
  markDetached: () => void
  /** Whether somebody drives this attempt, or has driven it. */
  hasDriver: boolean
  /** Whether an attempt is under way; for a moment longer than its state says. */
  isDriven: boolean
  /** What it has left of its time, milliseconds; null: it has no limit. */
  timeLeftMs: () => number | null
  /** Whether there was an attempt before this one: what that left is gone on with. */
  resumed: boolean
  /** It was told to go on where an answer was cut, which may be one of an earlier run. */
  goesOn?: boolean
  /** The text that was checked last as its report, and what came of it. */
  checked?: { readonly text: string; readonly result: CheckedReport }
  /** Why it cannot be driven: an agent that it needs is not defined any more. */
  readonly unusable: OffshootError | undefined
  /** Why it does not go on here: tools of the program that began it are not there. */
  readonly lacksTools: OffshootError | undefined
}

/** Writes what happens to a call in a transaction of somebody else: of its child's end, of a question about it. */
export interface CallWriter {
  /** Whether the call has no result yet. */
  isOpen(callId: CallId): boolean
  writeResult(change: Change, call: EndedCall): ToolResultPart
  /** A change that held results was not stored: their calls are open again. */
  reread(reader: Reader): void
  writeAwaiting(change: Change, call: Pick<StartedCall, 'part' | 'tool' | 'title'>): void
  /** The calls of the answer that is being worked on. */
  calls(): readonly ToolCallPart[]
  /** What there is of the answer that is being streamed. */
  partial(): PartialMessage | undefined
  /** Makes the run reject: what it waits for cannot be written. */
  fail(error: unknown): void
}

/** What an event of a run says beside its row. */
export interface RunEventDetails {
  readonly input?: string
  readonly report?: string | null
  /** Its place in the queue, 1 for the next. */
  readonly position?: number
  /** It waits for budget no longer, and comes to the queue. */
  readonly waitingFor?: null
  /** It has paused, and holds reports that no request has read. */
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

/** What begins anew with each attempt. */
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

/** Makes a run that has stopped one that can be driven again. Its last attempt has to be over. */
export function startAttempt(run: LiveRun): void {
  const { again, markAgain } = run
  Object.assign(run, newAttempt(), { resumed: true, again, markAgain })
}

/** A run is driven, by now for sure: whoever waited for it to be taken up goes on. */
export function notifyDriven(run: LiveRun): void {
  const { markAgain } = run
  const { promise: again, resolve } = Promise.withResolvers<void>()
  Object.assign(run, { again, markAgain: resolve })
  markAgain()
}

/** Puts another run into a run's place among its parent's children, or nothing where another call gets it. */
export function replaceChild(run: LiveRun, next: LiveRun | undefined): void {
  const children = run.parent?.children
  for (const [callId, child] of children ?? []) {
    if (child !== run) continue
    if (next) children!.set(callId, next)
    else children!.delete(callId)
  }
}

/**
 * Stops a run and everything below it, unless the reason keeps what is in the background. A cancel that follows a pause
 * counts; otherwise the first reason stays.
 */
export function stopRun(run: LiveRun, reason: StopReason): void {
  if (run.stop?.verb !== 'cancel' && (!run.stop || reason.verb === 'cancel')) run.stop = asAsked(run, reason)
  run.controller.abort(reason)
  const below = reasonBelow(reason)
  for (const child of run.children.values()) if (stopsBelow(reason, child)) stopRun(child, below)
}

/** A program that has to end ends all that it drives; anything else stops what is below because of what is above. */
function reasonBelow(reason: StopReason): StopReason {
  if (reason.verb === 'pause') return { ...reason, why: 'parent' }
  return { verb: 'cancel', by: reason.by === 'restart' ? 'restart' : 'parent' }
}

/** Somebody had asked a run to pause before its program ended, or what is above it stopped: that stays the reason. */
function asAsked({ row: { pausing } }: LiveRun, reason: StopReason): StopReason {
  if (reason.verb !== 'pause' || !pausing) return reason
  const stays = reason.why === 'restart' || (reason.why === 'parent' && pausing === 'user')
  return stays ? { ...reason, why: pausing } : reason
}

/** Whether what a run asks a person outlasts its stop. */
export function keepsAsking({ stop }: Pick<LiveRun, 'stop'>): boolean {
  return stop?.verb === 'pause' && stop.keepsAsking === true
}

/** Whether a stop of its parent for this reason stops a child too. */
export function stopsBelow(reason: StopReason, child: LiveRun): boolean {
  return reason.verb === 'cancel' || !reason.keepsBackground || !child.row.background
}

/**
 * Of a run that nobody drives there may be two in memory for a moment: one of a verb, one of whoever begins to drive.
 * @throws OffshootError `conflict` when the other one has changed it meanwhile.
 */
export function checkUnchanged({ tx }: Change, { row }: HasRow): void {
  const stored = tx.get('runs', row.id)
  if (stored?.status === row.status && stored.stopNo === row.stopNo) return
  throw new OffshootError('conflict', `${row.branchId} has just become ${stored?.status ?? 'nothing'}`, {
    hint: 'try again',
  })
}

/** What a change of state writes and tells beside the state. */
export interface Besides {
  readonly row?: Partial<RunFacts>
  readonly lastText?: RunEventDetails
}

/** Takes a run to its next state with what else changes, and tells of it. @throws OffshootError for an illegal step. */
export function changeRun(
  change: Change,
  { held }: Pick<LiveRun, 'held'>,
  to: NextState,
  { row: facts = {}, lastText: details = {} }: Besides = {},
): void {
  const { status: from, startedAt, pausing } = held.row
  const next: Run = { ...enterState(held.row, to, change.at), ...facts }
  const asked = next.endedAt !== null && pausing ? { pausing: null } : {} // done by now, or too late
  change.tx.update('runs', next.id, { ...stateColumns(next), ...facts, ...asked })
  held.enter(next)
  const count = unreadReports(change.tx, next)
  const more = { from, ...(count > 0 ? { unreadReports: count } : {}), ...details }
  change.event(runEvent(held, eventTypeOf(to.status, from, startedAt), change.at, more))
}

function stateColumns({ status, reason, waitingFor, endReason, error, startedAt, endedAt }: Run) {
  return { status, reason, waitingFor, endReason, error, startedAt, endedAt }
}

/** A run that has just been made, and has its slot, begins in the change that inserts it. */
export function startAtOnce({ at }: Change, { held }: Pick<LiveRun, 'held'>): void {
  held.enter(enterState(held.row, state.running, at))
}

/** Events that say what the run waits for. */
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

/** As the author of what its agent writes to another. */
export function authorOfRun({ row: { agent, branchId } }: HasRow): AgentAuthor {
  return { agent, branchId }
}

function pausingOf({ pausing }: Run): { readonly pausing?: 'user' | 'parent' } {
  return pausing ? { pausing } : {}
}

/** What a run was started below, the nearest first. */
export function ancestorsOf({ parent }: LiveRun): LiveRun[] {
  return parent ? [parent, ...ancestorsOf(parent)] : []
}

/** Whether a cancel of this run was asked for that is not stored yet: its end may take a while. */
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
