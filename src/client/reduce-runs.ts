import type { EventOf, OffshootEvent } from '../core/events.ts'
import type { RunId } from '../core/ids.ts'
import type { RunRow, Totals } from '../protocol/run.ts'
import { shared } from '../protocol/shared.ts'
import { placed } from './ask-positions.ts'
import type { Toast, ViewState } from './view-state.ts'

type RunEvent = Extract<OffshootEvent, { type: `run.${string}` }>

export function reduceRun(state: ViewState, event: RunEvent): ViewState {
  const { runId, branchId, from } = event
  if (runId === null || branchId === null) return state
  const known = state.runs[runId]
  // a run missing from the snapshot resumes: its figures are already in the totals
  if (!known && from !== null) return { ...state, isStale: true }
  const before = known ?? newRun(event)
  const run = withUnread({ ...before, ...figuresOf(event), ...phaseOf(before, event) }, event)
  const runs = { ...state.runs, [runId]: run }
  const latestRuns = known ? state.latestRuns : { ...state.latestRuns, [branchId]: runId }
  const counted = addFigures({ ...state, runs, latestRuns }, before, run, known ? 0 : 1)
  const queued = withQueue(counted, queueAfter(counted.queue, event))
  const slotted = { ...withLine(withSlots(queued), event), isDriven: true }
  return shared.isStopped(event.status) ? afterStop(slotted, run, event) : slotted
}

function newRun(event: RunEvent): RunRow {
  const { conversationId, parentRunId, depth, at } = event
  return {
    id: event.runId!,
    conversationId,
    branchId: event.branchId!,
    parentRunId,
    callId: event.callId ?? null,
    depth,
    agent: event.agent,
    model: event.model,
    task: event.description,
    background: event.background,
    status: event.status,
    reason: null,
    endReason: null,
    finishReason: null,
    waitingFor: null,
    pausing: null,
    lastAction: null,
    attempt: 1,
    turns: 0,
    maxTurns: event.maxTurns,
    toolCalls: 0,
    usage: shared.noUsage,
    costUsd: 0,
    queuedAt: at,
    startedAt: null,
    endedAt: null,
    queuePosition: null,
    headline: null,
    error: null,
    directory: null,
    effort: null,
    delegations: [],
    budgetLeftUsd: null,
    budgetLeftTokens: null,
    reservedUsd: 0,
    reservedTokens: 0,
    subtree: { runs: 0, toolCalls: 0, usage: shared.noUsage, costUsd: 0 },
  }
}

function figuresOf(event: RunEvent) {
  const { agent, description: task, model, turns, maxTurns, toolCalls, usage, costUsd, background } = event
  return { agent, task, model, turns, maxTurns, toolCalls, usage, costUsd, background }
}

/** Consequences of its new state. */
function phaseOf(run: RunRow, event: RunEvent): Partial<RunRow> {
  if (event.type === 'run.progress')
    return {
      lastAction: event.lastAction ?? run.lastAction,
      toolCalls: event.toolCalls,
      pausing: event.pausing ?? null,
    }
  const { status, at } = event
  const isStopped = shared.isStopped(status)
  return {
    status,
    reason: event.reason ?? null,
    endReason: event.endReason ?? null,
    finishReason: event.finishReason ?? null,
    waitingFor: waitOf(run, event),
    callId: event.callId ?? null,
    startedAt: run.startedAt ?? (status === 'running' ? at : null),
    endedAt: isStopped ? at : null,
    pausing: isStopped ? null : run.pausing,
    headline: shared.headline(event.report ?? '') || null,
    error: event.error ?? null,
    attempt: run.attempt,
  }
}

/** A run that goes on reads them with its next request. */
function withUnread({ unreadReports: before, ...run }: RunRow, event: RunEvent): RunRow {
  const told = event.type === 'run.paused' ? event.unreadReports : undefined
  const count = event.type === 'run.progress' ? before : told
  return count === undefined ? run : { ...run, unreadReports: count }
}

function waitOf(run: RunRow, event: RunEvent): RunRow['waitingFor'] {
  if (event.type === 'run.waiting' || event.type === 'run.queued') return event.waitingFor ?? null
  return event.type === 'run.backgrounded' ? run.waitingFor : null
}

/** Figures of one turn; ignored if the run already reported that turn. */
export function reduceFigures(
  state: ViewState,
  event: EventOf<'turn.completed' | 'usage.updated'>,
): ViewState {
  const before = event.runId && state.runs[event.runId]
  if (!before) return state
  if (event.type === 'turn.completed' && before.turns >= event.turn) return state
  const run: RunRow = {
    ...before,
    turns: event.type === 'turn.completed' ? event.turn : before.turns,
    usage: shared.addUsage(before.usage, event.usage),
    costUsd: shared.addCost(before.costUsd, event.costUsd),
  }
  return addFigures({ ...state, runs: { ...state.runs, [run.id]: run } }, before, run, 0)
}

/** Adds a run's figures once to the run, to each run above it, and to the totals. */
export function addFigures(state: ViewState, before: RunRow, after: RunRow, runs: number): ViewState {
  if (runs === 0 && isSame(before, after)) return state
  const add = (sum: Totals): Totals => ({
    runs: sum.runs + runs,
    toolCalls: sum.toolCalls + after.toolCalls - before.toolCalls,
    usage: {
      input: sum.usage.input + after.usage.input - before.usage.input,
      output: sum.usage.output + after.usage.output - before.usage.output,
      cacheRead: sum.usage.cacheRead + after.usage.cacheRead - before.usage.cacheRead,
      cacheWrite: sum.usage.cacheWrite + after.usage.cacheWrite - before.usage.cacheWrite,
      reasoning: sum.usage.reasoning + after.usage.reasoning - before.usage.reasoning,
    },
    costUsd: costAfter(sum.costUsd, before.costUsd, after.costUsd),
  })
  const changed: Record<RunId, RunRow> = {}
  for (
    let run: RunRow | undefined = after;
    run;
    run = run.parentRunId ? state.runs[run.parentRunId] : undefined
  )
    changed[run.id] = { ...run, subtree: add(run.subtree) }
  return { ...state, runs: { ...state.runs, ...changed }, totals: add(state.totals) }
}

/** An unknown summand makes the sum unknown permanently. */
function costAfter(sum: number | null, before: number | null, after: number | null): number | null {
  return sum === null || before === null || after === null ? null : sum + after - before
}

function isSame(a: RunRow, b: RunRow): boolean {
  return a.toolCalls === b.toolCalls && a.usage === b.usage && a.costUsd === b.costUsd
}

/** A queued run gets a place; runs behind one that leaves move up. */
function queueAfter(queue: readonly RunId[], event: RunEvent): readonly RunId[] {
  if (event.type === 'run.progress' || event.type === 'run.backgrounded') return queue
  const runId = event.runId!
  const isIn = queue.includes(runId)
  if (event.type !== 'run.queued' || event.depth === 0 || event.waitingFor)
    return isIn ? queue.filter((id) => id !== runId) : queue
  const others = isIn ? queue.filter((id) => id !== runId) : queue
  const place = event.position ?? others.length + 1
  return others.toSpliced(place - 1, 0, runId)
}

function withQueue(state: ViewState, queue: readonly RunId[]): ViewState {
  if (queue === state.queue) return state
  const runs = { ...state.runs }
  for (const id of state.queue)
    if (!queue.includes(id) && runs[id]) runs[id] = { ...runs[id], queuePosition: null }
  queue.forEach((id, i) => {
    const run = runs[id]
    if (run && run.queuePosition !== i + 1) runs[id] = { ...run, queuePosition: i + 1 }
  })
  return { ...state, runs, queue }
}

/** Sent with each run that joins the queue, and by the first one when it changes. */
function withLine(state: ViewState, event: RunEvent): ViewState {
  if (event.type !== 'run.queued' || event.depth === 0 || event.waitingFor) return state
  const { line = 'conversation' } = event
  return line === (state.slots.line ?? 'conversation') ? state : { ...state, slots: { ...state.slots, line } }
}

/** Main runs need no slot. */
function withSlots(state: ViewState): ViewState {
  const running = Object.values(state.runs).filter(holdsSlot).length
  const queued = state.queue.length
  const { slots } = state
  return slots.running === running && slots.queued === queued
    ? state
    : { ...state, slots: { ...slots, running, queued } }
}

function holdsSlot({ depth, status, reason }: RunRow): boolean {
  return depth > 0 && (status === 'running' || (status === 'waiting' && reason === 'retry'))
}

const MAX_TOASTS = 5

/** It no longer asks or writes anything. */
function afterStop(state: ViewState, { id, branchId }: RunRow, event: RunEvent): ViewState {
  const branch = state.branches[branchId]
  const isStreaming = branch?.streaming?.runId === id
  const branches = isStreaming
    ? { ...state.branches, [branchId]: { ...branch, streaming: null } }
    : state.branches
  const run = state.runs[id]!
  const toasts = run.depth > 0 ? [...state.toasts, toastOf(run, event)].slice(-MAX_TOASTS) : state.toasts
  return { ...state, branches, toasts, ...withoutAsks(state, id) }
}

function withoutAsks({ approvals, questions }: ViewState, id: RunId) {
  const isOther = ({ runId }: { readonly runId: RunId }) => runId !== id
  if (approvals.every(isOther) && questions.every(isOther)) return {}
  return { approvals: placed(approvals.filter(isOther)), questions: placed(questions.filter(isOther)) }
}

function toastOf(run: RunRow, { seq, at }: RunEvent): Toast {
  const { id: runId, branchId, agent, task, status, reason, headline } = run
  return { id: `${runId} ${seq}`, runId, branchId, agent, task, status, reason, headline, at }
}
