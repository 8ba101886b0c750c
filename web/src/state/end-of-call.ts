import { callEnd, type BranchView, type CallEnd, type CallView, type ViewState } from 'offshoot/client'
import type { CallRow, MessagePage, RunRow } from 'offshoot/protocol'

type Messages = MessagePage['messages']
type Result = Extract<Messages[number]['parts'][number], { type: 'tool-result' }>

export interface KnownCall {
  readonly id: string
  readonly tool: string
  /** undefined: not started. */
  readonly call: CallRow | CallView | undefined
  /** undefined: search the loaded messages. */
  readonly result?: Result | undefined
}

/** Whether a person should look at it. */
export function isBadEnd({ kind }: Pick<CallEnd, 'kind'>): boolean {
  return kind === 'failed' || kind === 'denied' || kind === 'unknown'
}

type KnownState = Pick<ViewState, 'runs' | 'branches'>

/** The result decides; if its message is not loaded, the run that the call started. */
export function endOfCall(state: KnownState, { id, tool, call, result }: KnownCall): CallEnd {
  const found = result ?? (call && resultIn(state.branches[call.branchId], id))
  return callEnd({
    tool,
    status: found?.status ?? call?.status ?? 'pending',
    subagent: found?.output.subagent,
    error: call?.error,
    by: call && state.runs[call.runId],
    started: startedBy(state.runs, id),
  })
}

const results = new WeakMap<Messages, ReadonlyMap<string, Result>>()

function resultIn(branch: BranchView | undefined, callId: string): Result | undefined {
  const messages = branch?.messages
  if (!messages) return undefined
  const known = results.get(messages)
  if (known) return known.get(callId)
  const parts = messages.flatMap((message) => message.parts)
  const found = new Map(
    parts.flatMap((part) => (part.type === 'tool-result' ? [[part.callId as string, part] as const] : [])),
  )
  results.set(messages, found)
  return found.get(callId)
}

const starts = new WeakMap<ViewState['runs'], ReadonlyMap<string, RunRow>>()

function startedBy(runs: ViewState['runs'], callId: string): RunRow | undefined {
  const known = starts.get(runs)
  if (known) return known.get(callId)
  const found = new Map(
    Object.values(runs).flatMap((run) => (run.callId ? [[run.callId as string, run]] : [])),
  )
  starts.set(runs, found)
  return found.get(callId)
}
