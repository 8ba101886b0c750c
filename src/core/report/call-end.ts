import type { SandboxForce } from '../command-sandbox.ts'
import type { ToolResultPart } from '../message.ts'
import type { ReportFacts, SubagentAnswer } from '../report-facts.ts'
import type { StoredRun, ToolCall, ToolCallStatus } from '../run.ts'
import { stopCause, type RunStatus } from '../run-status.ts'
import { toolSpelled } from '../rules/tool-names.ts'

/** Known facts about a call. Without its result, the run that it started says how it ended. */
export interface KnownCallState {
  readonly tool: string
  readonly status: ToolCallStatus
  /** From its row: a result has no error code. */
  readonly error?: Pick<NonNullable<ToolCall['error']>, 'code'> | null | undefined
  /** From its result. */
  readonly subagent?: SubagentAnswer | undefined
  /** The run that made the call. */
  readonly by?: { readonly status: RunStatus } | null | undefined
  /** The run that the call started. */
  readonly started?: ChildState | null | undefined
}

type ChildState = Pick<StoredRun, 'status' | 'reason' | 'endReason' | 'background'>

export type CallEndKind =
  | Exclude<ToolCallStatus, 'skipped'>
  | 'interrupted'
  | 'cancelled'
  | 'paused'
  | 'started'
  | 'not_run'

export interface CallEnd {
  readonly kind: CallEndKind
  /** The same text on every surface: `completed`, `paused (limit: max turns)`. */
  readonly words: string
}

/** How a call ended, for people. A cancelled subagent has not failed, and a cut one has not completed. */
export function callEnd(call: KnownCallState): CallEnd {
  const kind = kindOf(call)
  if (kind !== 'paused') return { kind, words: WORDS[kind] }
  const cause = stopCause(reportedRun(call) ?? { reason: null, endReason: null })
  return { kind, words: cause === null ? 'paused' : `paused (${cause})` }
}

const WORDS: Readonly<Record<Exclude<CallEndKind, 'paused'>, string>> = {
  pending: 'not started',
  awaiting_approval: 'waits for approval',
  running: 'running',
  completed: 'completed',
  failed: 'failed',
  denied: 'denied',
  interrupted: 'interrupted',
  cancelled: 'cancelled',
  started: 'started',
  unknown: 'outcome unknown',
  not_run: 'not run',
}

function kindOf(call: KnownCallState): CallEndKind {
  const { status, error, by } = call
  if (status === 'skipped') return 'not_run'
  if (status === 'failed' && error?.code === 'interrupted')
    return by?.status === 'cancelled' ? 'cancelled' : 'interrupted'
  if (status !== 'completed' && status !== 'failed') return status
  if (isStart(call)) return status === 'completed' ? 'started' : status
  const run = reportedRun(call)
  if (run?.status === 'paused') return 'paused'
  return status === 'failed' && run?.status === 'cancelled' ? 'cancelled' : status
}

/** A call that starts a background subagent ends before it. */
function isStart({ subagent, started }: KnownCallState): boolean {
  return subagent ? subagent.type === 'started' : started?.background === true
}

const READS: ReadonlySet<string | undefined> = new Set(['task_output', 'task_cancel'])

/** The run whose report answered the call. */
function reportedRun(call: KnownCallState): ChildState | ReportFacts | null | undefined {
  if (call.subagent) return reportOfCall(call.tool, call.subagent)
  return isRead(call.tool) ? undefined : call.started
}

/** The report that a call waited for. Tools that read or cancel a subagent succeed whatever its state is. */
export function reportOfCall(tool: string, subagent: SubagentAnswer | undefined): ReportFacts | undefined {
  return subagent?.type === 'report' && !isRead(tool) ? subagent : undefined
}

function isRead(tool: string): boolean {
  return READS.has(toolSpelled(tool))
}

/** What a call's row adds to its result. */
export type CallFacts = Pick<KnownCallState, 'error' | 'by'> & {
  /** What was between its command and the machine. */
  readonly sandbox?: SandboxForce | undefined
}

/** The same from a result. */
export function resultEnd({ tool, status, output }: ResultFacts, facts: CallFacts | undefined): CallEnd {
  return callEnd({ tool, status, subagent: output.subagent, ...facts })
}

type ResultFacts = Pick<ToolResultPart, 'tool' | 'status' | 'output'>
