import type { BranchId, ConversationId, RunId } from '../core/ids.ts'
import type { Run, RunError } from '../core/run.ts'
import type { RunStatus } from '../core/run-status.ts'
import { addCost, addUsage, type Usage } from '../core/usage.ts'
import type { Reader } from '../store/port.ts'
import { messageText } from './stored-events.ts'

/** What a main run and those that followed by themselves came to, with the totals of its tree: each run counted once (B2). Times in milliseconds. */
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
  const { conversationId, branchId, queuedAt } = store.get('runs', runId)!
  const runs = store.find('runs', { where: { conversationId }, orderBy: 'id' })
  // reports that came while the branch was idle have started runs of their own
  const main = runs.filter((each) => each.branchId === branchId && each.id >= runId)
  const run = main.at(-1)!
  const subagents = below(runs, main)
  const tree = [...main, ...subagents]
  const { status, reason, endReason, error, endedAt } = run
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
    turns: main.reduce((sum, each) => sum + each.turns, 0),
    toolCalls: tree.reduce((sum, each) => sum + each.toolCalls, 0),
    usage: tree.map((each) => each.usage).reduce(addUsage),
    costUsd: tree.map((each) => each.costUsd).reduce(addCost),
    subagents,
    denials: tree.flatMap((each) => denialsOf(store, each)),
    durationMs: (endedAt ?? queuedAt) - queuedAt,
  }
}

function below(runs: readonly Run[], roots: readonly Run[]): Run[] {
  const tree = new Set<RunId>(roots.map((root) => root.id))
  for (const run of runs) if (run.parentRunId && tree.has(run.parentRunId)) tree.add(run.id)
  return runs.filter((run) => !roots.includes(run) && tree.has(run.id))
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
