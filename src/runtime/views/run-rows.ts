import type { BranchId, CallId, ConversationId, RunId } from '../../core/ids.ts'
import { finishOfRun, type FinishReason } from '../../core/finish-reason.ts'
import type { LastAction, StoredRun, ToolCall } from '../../core/run.ts'
import { headline } from '../../core/report-summary.ts'
import { isStopped } from '../../core/run-status.ts'
import { addCost, addUsage, noUsage, type Usage } from '../../core/usage.ts'
import type { Grant } from '../../permissions/types.ts'
import type { Reader } from '../../store/port.ts'
import { Budget } from '../budget/budget.ts'
import { withCountedCalls } from './counted-calls.ts'
import type { RunListing } from './list-runs.ts'
import { queueFromRows, type QueueRows } from '../run/queue-from-rows.ts'
import { unreadReports } from '../run/unread-reports.ts'
import { reportText } from '../log/stored-events.ts'

/** Figures of several runs together; each run counts once. */
export interface RunTotals {
  readonly runs: number
  readonly toolCalls: number
  readonly usage: Usage
  readonly costUsd: number | null
}

/** One run of a conversation as both UIs draw it. */
export interface RunRow extends Omit<
  RunListing,
  'approvals' | 'questions' | 'spentUsd' | 'statusLine' | 'subtree' | 'pausing' | 'finishReason'
> {
  readonly finishReason: FinishReason | null
  /** The call that started it; null for a main run and for one started by a person. */
  readonly callId: CallId | null
  readonly pausing: NonNullable<StoredRun['pausing']> | null
  /** The first sentence of its report, once it has stopped. */
  readonly headline: string | null
  /** Reports delivered to a paused run that no request has read; absent: none. */
  readonly unreadReports?: number
  readonly error: StoredRun['error']
  readonly subtree: RunTotals
}

export interface RunRows {
  /** Oldest first. */
  readonly rows: readonly RunRow[]
  /** The last calls of active runs, oldest first. */
  readonly calls: readonly ToolCall[]
  readonly totals: RunTotals
  readonly queue: QueueRows
}

/** Number of last calls of each active run. */
const LAST_CALLS = 5

/** Reads the rows of a whole conversation once; two more statements per active run, one per report. */
export function runRows(
  reader: Reader,
  conversationId: ConversationId,
  wanted: (run: StoredRun) => boolean,
): RunRows {
  const stored = reader.find('runs', { where: { conversationId }, orderBy: 'id' })
  const calls = new Map(stored.map((run) => [run.id, lastCalls(reader, run)]))
  const known = stored.map((run) => withCountedCalls(reader, run))
  const totals = subtrees(known)
  const queue = queueFromRows(reader, conversationId)
  const delegations = delegationsOf(reader, conversationId)
  const { budget: caps } = reader.get('conversations', conversationId) ?? {}
  const budget = new Budget({ budgetUsd: caps?.usd ?? null, maxTokens: caps?.tokens ?? null }, stored)
  const rows = known.filter(wanted).map((run): RunRow => ({
    ...figures(run),
    ...account(budget, run),
    lastAction: actionOf(calls.get(run.id)?.at(-1)) ?? run.lastAction,
    queuePosition: placeIn(queue.order, run.id),
    headline: headlineOf(reader, run),
    ...unread(reader, run),
    delegations: delegations.get(run.branchId) ?? [],
    subtree: totals.get(run.id)!,
  }))
  const roots = known.filter((run) => !run.parentRunId || !totals.has(run.parentRunId))
  return {
    rows,
    calls: rows.flatMap(({ id }) => calls.get(id) ?? []),
    totals: roots.map(({ id }) => totals.get(id)!).reduce(plus, none),
    queue,
  }
}

function figures(run: StoredRun) {
  const { limits, setup, description: task, originCallId: callId, pausing = null, ...row } = run
  const { stopNo: _stop, output: _output, reportMessageId: _message, reportNote: _note, ...more } = row
  const { partialFrom: _from, unreported: _told, ...shown } = more
  const { directory = null, effort = null } = setup ?? {}
  const finishReason = finishOfRun(run)
  return { ...shown, finishReason, callId, task, pausing, maxTurns: limits.maxTurns, directory, effort }
}

function account(budget: Budget, run: StoredRun) {
  const left = budget.left(run)
  const reserved = budget.reserved(run)
  return {
    budgetLeftUsd: left.usd,
    budgetLeftTokens: left.tokens,
    reservedUsd: reserved.usd,
    reservedTokens: reserved.tokens,
  }
}

function lastCalls(reader: Reader, run: StoredRun): ToolCall[] {
  if (!works(run)) return []
  const last = { orderBy: 'id', descending: true, limit: LAST_CALLS } as const
  return reader.find('tool_calls', { where: { runId: run.id }, ...last }).toReversed()
}

function works({ status, startedAt }: StoredRun): boolean {
  return !isStopped(status) && startedAt !== null
}

function actionOf(call: ToolCall | undefined): LastAction | undefined {
  return call && { tool: call.tool, title: call.title, at: call.startedAt }
}

/** Each run with everything below it; a run is older than those that it starts. */
function subtrees(runs: readonly StoredRun[]): Map<RunId, RunTotals> {
  const totals = new Map(
    runs.map(({ id, toolCalls, usage, costUsd }) => [id, { runs: 1, toolCalls, usage, costUsd }]),
  )
  for (const { id, parentRunId } of runs.toReversed()) {
    const above = parentRunId && totals.get(parentRunId)
    if (above) totals.set(parentRunId, plus(above, totals.get(id)!))
  }
  return totals
}

const none: RunTotals = { runs: 0, toolCalls: 0, usage: noUsage, costUsd: 0 }

function plus(a: RunTotals, b: RunTotals): RunTotals {
  return {
    runs: a.runs + b.runs,
    toolCalls: a.toolCalls + b.toolCalls,
    usage: addUsage(a.usage, b.usage),
    costUsd: addCost(a.costUsd, b.costUsd),
  }
}

function placeIn(queue: readonly RunId[], id: RunId): number | null {
  const at = queue.indexOf(id)
  return at < 0 ? null : at + 1
}

function headlineOf(reader: Reader, run: StoredRun): string | null {
  return isStopped(run.status) ? headline(reportText(reader, run)) || null : null
}

function unread(reader: Reader, run: StoredRun): Pick<RunRow, 'unreadReports'> {
  const count = unreadReports(reader, run)
  return count > 0 ? { unreadReports: count } : {}
}

function delegationsOf(reader: Reader, conversationId: ConversationId): Map<BranchId, Grant[]> {
  const found = new Map<BranchId, Grant[]>()
  const where = { conversationId, kind: 'delegation' } as const
  for (const { branchId, tool, pattern } of reader.find('rules', { where, orderBy: 'id' })) {
    if (branchId === null) continue
    const grant = { tool, ...(pattern === null ? {} : { pattern }) }
    found.set(branchId, [...(found.get(branchId) ?? []), grant])
  }
  return found
}
