import type { BranchId, ConversationId, RunId } from '../core/ids.ts'
import type { Run, RunError } from '../core/run.ts'
import type { RunStatus } from '../core/run-status.ts'
import { addCost, addUsage, type Usage } from '../core/usage.ts'
import type { Reader } from '../store/port.ts'
import { messageText } from './stored-events.ts'

/** What a main run came to, with the totals of its tree: each run counted once (B2). Times in milliseconds. */
export interface RunResult {
  readonly conversationId: ConversationId
  readonly branchId: BranchId
  readonly runId: RunId
  readonly status: RunStatus
  readonly reason: string | null
  readonly endReason: string | null
  readonly text: string
  /** Why there is no text, or what is to be said about it. */
  readonly note: string | null
  readonly error: RunError | null
  /** Its own turns; tool calls, usage and cost are those of the tree. */
  readonly turns: number
  readonly toolCalls: number
  readonly usage: Usage
  readonly costUsd: number | null
  /** Every run below it, in the order in which they began. */
  readonly subagents: readonly Run[]
  readonly denials: readonly Denial[]
  readonly durationMs: number
}

/** A call that was denied because nobody could answer. */
export interface Denial {
  readonly runId: RunId
  readonly agent: string
  readonly tool: string
  readonly title: string
  readonly reason: string
}

export function readRunResult(store: Reader, runId: RunId): RunResult {
  const run = store.get('runs', runId)!
  const subagents = below(
    store.find('runs', { where: { conversationId: run.conversationId }, orderBy: 'id' }),
    run,
  )
  const tree = [run, ...subagents]
  const { conversationId, branchId, status, reason, endReason, error, turns, queuedAt, endedAt } = run
  return {
    conversationId,
    branchId,
    runId,
    status,
    reason,
    endReason,
    text: run.reportMessageId ? messageText(store, run.reportMessageId) : '',
    note: run.reportNote,
    error,
    turns,
    toolCalls: tree.reduce((sum, each) => sum + each.toolCalls, 0),
    usage: tree.map((each) => each.usage).reduce(addUsage),
    costUsd: tree.map((each) => each.costUsd).reduce(addCost),
    subagents,
    denials: tree.flatMap((each) => denialsOf(store, each)),
    durationMs: (endedAt ?? queuedAt) - queuedAt,
  }
}

function below(runs: readonly Run[], root: Run): Run[] {
  const tree = new Set<RunId>([root.id])
  for (const run of runs) if (run.parentRunId && tree.has(run.parentRunId)) tree.add(run.id)
  return runs.filter((run) => run.id !== root.id && tree.has(run.id))
}

function denialsOf(store: Reader, run: Run): Denial[] {
  return store
    .find('tool_calls', { where: { runId: run.id, status: 'denied' } })
    .filter((call) => call.error?.code === 'unattended')
    .map(({ tool, title, error }) => ({
      runId: run.id,
      agent: run.agent,
      tool,
      title,
      reason: error!.message,
    }))
}
