import type { EventOf, OffshootEvent } from '../core/events.ts'
import type { RunRow } from '../protocol/run.ts'
import { addFigures } from './reduce-runs.ts'
import type { BranchView, CallView, ViewState } from './view-state.ts'

type CallEvent = Extract<OffshootEvent, { type: `tool.${string}` }>

/** Number of last calls kept for each run, regardless of loaded messages. */
const LAST_CALLS = 5
const MAX_LINE = 500

export function reduceCall(state: ViewState, event: CallEvent): ViewState {
  const { runId, branchId } = event
  const branch = branchId && state.branches[branchId]
  if (runId === null || !branch) return state
  const steps = state.steps[runId] ?? []
  const known = steps.find(({ id }) => id === event.callId) ?? branch.calls[event.callId]
  const call = event.type === 'tool.output' ? known && withOutput(known, event) : callAfter(known, event)
  if (!call || call === known) return state
  const next = {
    ...state,
    steps: { ...state.steps, [runId]: withStep(steps, call) },
    branches: withCall(state.branches, branch, call),
  }
  return event.type === 'tool.output' ? next : counted(next, event, known === undefined)
}

/** The last nonempty line. */
function withOutput(call: CallView, { text }: EventOf<'tool.output'>): CallView {
  const line = text
    .trimEnd()
    .split(/\r?\n|\r/)
    .at(-1)!
    .slice(-MAX_LINE)
  return line === '' || line === call.lastLine ? call : { ...call, lastLine: line }
}

function callAfter(known: CallView | undefined, event: Exclude<CallEvent, EventOf<'tool.output'>>): CallView {
  const { callId: id, tool, title, at } = event
  const isStart = event.type === 'tool.started'
  const ended = event.type.slice('tool.'.length) as Exclude<CallView['status'], 'running'>
  return {
    id,
    branchId: event.branchId!,
    runId: event.runId!,
    tool,
    title,
    status: isStart ? 'running' : ended,
    exitCode: isStart ? null : (event.exitCode ?? null),
    error: isStart ? null : (event.error ?? null),
    startedAt: isStart ? at : (known?.startedAt ?? at),
    endedAt: isStart ? null : at,
    lastLine: known?.lastLine ?? '',
  }
}

/** Ids sort by time. */
function withStep(steps: readonly CallView[], call: CallView): readonly CallView[] {
  const at = steps.findIndex(({ id }) => id === call.id)
  if (at >= 0) return steps.with(at, call)
  return [...steps, call].toSorted((a, b) => (a.id < b.id ? -1 : 1)).slice(-LAST_CALLS)
}

function withCall(branches: ViewState['branches'], branch: BranchView, call: CallView) {
  if (!branch.messages) return branches
  return { ...branches, [branch.id]: { ...branch, calls: { ...branch.calls, [call.id]: call } } }
}

/** A call counts once, started or refused; the next event of its run has the exact number. */
function counted(state: ViewState, event: EventOf<'tool.started'> | CallEvent, isNew: boolean): ViewState {
  const run = state.runs[event.runId!]
  if (!run || event.type === 'tool.output') return state
  const action =
    event.type === 'tool.started' ? { tool: event.tool, title: event.title, at: event.at } : run.lastAction
  const next: RunRow = { ...run, lastAction: action, toolCalls: run.toolCalls + (isNew ? 1 : 0) }
  return addFigures({ ...state, runs: { ...state.runs, [run.id]: next } }, run, next, 0)
}

/** A call that waits for approval counts as started for people, but not for the run. */
export function withAwaiting(state: ViewState, event: EventOf<'approval.requested'>): ViewState {
  const { callId, tool, title, at, runId, branchId } = event
  const branch = branchId && state.branches[branchId]
  if (runId === null || !branch) return state
  const steps = state.steps[runId] ?? []
  const known = steps.find(({ id }) => id === callId) ?? branch.calls[callId]
  const fresh = { exitCode: null, error: null, startedAt: at, endedAt: null, lastLine: '' }
  const about = { id: callId, branchId: branch.id, runId, tool, title }
  const call: CallView = { ...(known ?? { ...about, ...fresh }), status: 'awaiting_approval' }
  return {
    ...state,
    steps: { ...state.steps, [runId]: withStep(steps, call) },
    branches: withCall(state.branches, branch, call),
  }
}
