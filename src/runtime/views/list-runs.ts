import type { Effort } from '../../core/agent.ts'
import { finishOfRun } from '../../core/finish-reason.ts'
import type { ApprovalId, ConversationId, QuestionId, RunId } from '../../core/ids.ts'
import type { LastAction, StoredRun } from '../../core/run.ts'
import { isFinal, isStopped, runStatuses } from '../../core/run-status.ts'
import { addCost, addUsage, type Usage } from '../../core/usage.ts'
import type { Grant } from '../../permissions/types.ts'
import type { Reader } from '../../store/port.ts'
import { Budget } from '../budget/budget.ts'
import { readDelegations } from '../authority/delegations.ts'
import { queueFromRows } from '../run/queue-from-rows.ts'
import type { StatusLine } from '../../core/status-line/status-line.ts'
import { withCountedCalls } from './counted-calls.ts'
import { openApprovalIds, openQuestionIds, statusLineFromRows, statusScope } from './status-lines.ts'

/** One run as clients see it: its own figures, and those of its subtree. */
export type RunListing = Pick<
  StoredRun,
  | 'id'
  | 'conversationId'
  | 'branchId'
  | 'parentRunId'
  | 'depth'
  | 'agent'
  | 'model'
  | 'background'
  | 'status'
  | 'reason'
  | 'endReason'
  | 'finishReason'
  | 'waitingFor'
  | 'pausing'
  | 'lastAction'
  | 'attempt'
  | 'turns'
  | 'toolCalls'
  | 'usage'
  | 'costUsd'
  | 'queuedAt'
  | 'startedAt'
  | 'endedAt'
> & {
  /** The request in short. */
  readonly task: string
  readonly maxTurns: number
  /** 1: next of its conversation to get a slot; null if it does not wait for one. */
  readonly queuePosition: number | null
  /** Its open approvals. */
  readonly approvals: readonly ApprovalId[]
  /** Its open questions. */
  readonly questions: readonly QuestionId[]
  /** What the user delegated to its agent beyond its starter's rights. */
  readonly delegations: readonly Grant[]
  /** For its whole conversation; null while a price is unknown. */
  readonly spentUsd: number | null
  /** What it may still spend, by its own cap and its conversation's; null: no cap, or a price is unknown. */
  readonly budgetLeftUsd: number | null
  /** The same in tokens, input and output. */
  readonly budgetLeftTokens: number | null
  /** Reserved for what it started and for its current request, beyond what is spent. */
  readonly reservedUsd: number
  readonly reservedTokens: number
  /** Its directory, if not that of the conversation. */
  readonly directory: string | null
  readonly effort: Effort | null
  /** What its branch does or waits for, why, since when, and the verb that helps. */
  readonly statusLine: StatusLine
  /** The run and everything below it; each run counts once. */
  readonly subtree: {
    readonly runs: number
    readonly toolCalls: number
    readonly usage: Usage
    readonly costUsd: number | null
  }
}

export interface ListOptions {
  /** Includes final runs. Default: only those final runs whose branch has unread items. */
  readonly all?: boolean
  /** Whether a live process drives a conversation. Default: all are driven. */
  readonly isDriven?: (id: ConversationId) => boolean
}

/**
 * The runs of all conversations, from the rows alone: running first, then waiting, each newest first, then queued by
 * place.
 */
export function listRuns(
  reader: Reader,
  { all = false, isDriven = () => true }: ListOptions = {},
): RunListing[] {
  const wanted = runStatuses
    .filter((status) => all || !isFinal(status))
    .flatMap((status) => reader.find('runs', { where: { status } }))
  if (!all) wanted.push(...withUnread(reader))
  const byConversation = Map.groupBy(wanted, (run) => run.conversationId)
  return [...byConversation]
    .flatMap(([id, runs]) => listingsOf(reader, runs, { conversationId: id, isDriven: isDriven(id) }))
    .toSorted(runningFirst)
}

/** Completed runs whose branch has unread items, which wait until somebody continues it. */
function withUnread(reader: Reader): StoredRun[] {
  const items = reader.find('inbox', { where: { deliveredAt: null } })
  const branches = new Set(items.filter((item) => item.withdrawnAt === null).map((item) => item.branchId))
  return [...branches].flatMap((branchId) => {
    const last = { where: { branchId }, orderBy: 'id', descending: true, limit: 1 } as const
    return reader.find('runs', last).filter(({ status }) => status === 'completed')
  })
}

/** One stored run. */
export function runListing(
  reader: Reader,
  id: RunId,
  { isDriven = () => true }: Pick<ListOptions, 'isDriven'> = {},
): RunListing {
  const run = reader.get('runs', id)!
  const { conversationId } = run
  return listingsOf(reader, [run], { conversationId, isDriven: isDriven(conversationId) })[0]!
}

interface Scope {
  readonly conversationId: ConversationId
  readonly isDriven: boolean
}

function listingsOf(
  reader: Reader,
  runs: readonly StoredRun[],
  { conversationId, isDriven }: Scope,
): RunListing[] {
  const queue = queueFromRows(reader, conversationId)
  const { budget } = reader.get('conversations', conversationId) ?? {}
  const known = reader.find('runs', { where: { conversationId }, orderBy: 'id' })
  const spentUsd = known.map((run) => run.costUsd).reduce(addCost, 0)
  const below = Map.groupBy(known, (run) => run.parentRunId)
  const whole = new Budget({ budgetUsd: budget?.usd ?? null, maxTokens: budget?.tokens ?? null }, known)
  const scope = statusScope(known, queue, isDriven)
  return runs.map((run) => {
    const approvals = openApprovalIds(reader, run)
    const questions = openQuestionIds(reader, run)
    const { limits, setup, description: task, ...row } = current(reader, run)
    const left = whole.left(run)
    const reserved = whole.reserved(run)
    const position = queue.order.indexOf(run.id)
    const { stopNo: _, originCallId: _call, error: _error, ...shown } = row
    const {
      reportMessageId: _report,
      reportNote: _note,
      partialFrom: _from,
      unreported: _told,
      ...rest
    } = shown
    return {
      ...rest,
      finishReason: finishOfRun(run),
      task,
      maxTurns: limits.maxTurns,
      queuePosition: position < 0 ? null : position + 1,
      approvals,
      questions,
      delegations: readDelegations(reader, run.branchId),
      spentUsd,
      budgetLeftUsd: left.usd,
      budgetLeftTokens: left.tokens,
      reservedUsd: reserved.usd,
      reservedTokens: reserved.tokens,
      directory: setup?.directory ?? null,
      effort: setup?.effort ?? null,
      statusLine: statusLineFromRows(reader, run, [...approvals, ...questions], scope),
      subtree: subtree(reader, run, below),
    }
  })
}

/** At the end of a turn, the row has the last action as well. */
function current(reader: Reader, run: StoredRun): StoredRun {
  if (isStopped(run.status)) return run
  return { ...withCountedCalls(reader, run), lastAction: lastCall(reader, run.id) ?? run.lastAction }
}

function lastCall(reader: Reader, runId: RunId): LastAction | undefined {
  const call = reader.find('tool_calls', { where: { runId }, orderBy: 'id', descending: true, limit: 1 })[0]
  return call && { tool: call.tool, title: call.title, at: call.startedAt }
}

function subtree(
  reader: Reader,
  root: StoredRun,
  below: ReadonlyMap<RunId | null, readonly StoredRun[]>,
): RunListing['subtree'] {
  const all: StoredRun[] = []
  for (const open = [root]; open.length > 0;) {
    const run = open.pop()!
    all.push(current(reader, run))
    open.push(...(below.get(run.id) ?? []))
  }
  return {
    runs: all.length,
    toolCalls: all.reduce((sum, run) => sum + run.toolCalls, 0),
    usage: all.map((run) => run.usage).reduce(addUsage),
    costUsd: all.map((run) => run.costUsd).reduce(addCost),
  }
}

function runningFirst(a: RunListing, b: RunListing): number {
  return rank(a) - rank(b) || placeOf(a) - placeOf(b) || (a.id < b.id ? 1 : -1)
}

function placeOf({ queuePosition }: RunListing): number {
  return queuePosition ?? 0
}

function rank({ status }: RunListing): number {
  if (status === 'running') return 0
  return status === 'waiting' ? 1 : status === 'queued' ? 2 : isFinal(status) ? 4 : 3
}
