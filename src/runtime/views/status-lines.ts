import { activityOf, type Activity } from '../../core/status-line/activity.ts'
import { factsAround, familyTree, type FamilyTree } from '../../core/status-line/facts-around.ts'
import { statusLine, type StatusLine, type UnreadCounts } from '../../core/status-line/status-line.ts'
import type { ApprovalId, ConversationId, MessageId, QuestionId, RunId } from '../../core/ids.ts'
import type { Part } from '../../core/message.ts'
import type { StoredRun } from '../../core/run.ts'
import { isStopped } from '../../core/run-status.ts'
import type { Reader } from '../../store/port.ts'
import { waitingItems } from '../run/inbox.ts'
import { unreadReports } from '../run/unread-reports.ts'
import { queueFromRows, type QueueRows } from '../run/queue-from-rows.ts'

/** The part of a conversation that its status lines need. */
export interface StatusScope {
  readonly family: FamilyTree
  readonly queue: QueueRows
  /** Whether a live process drives it. */
  readonly isDriven: boolean
}

/** `runs`: every run of the conversation, the oldest first. */
export function statusScope(runs: readonly StoredRun[], queue: QueueRows, isDriven: boolean): StatusScope {
  return { family: familyTree(runs), queue, isDriven }
}

/** The status line of a branch at one of its runs, from the rows alone. Runs below are from the latest. */
export function statusLineFromRows(
  reader: Reader,
  run: StoredRun,
  asks: readonly string[],
  { family, queue, isDriven }: StatusScope,
): StatusLine {
  const at = queue.order.indexOf(run.id)
  const isLatest = family.latest.get(run.branchId)?.id === run.id
  return statusLine(
    { ...run, queuePosition: at < 0 ? null : at + 1 },
    {
      activity: run.status === 'running' ? activityFromRows(reader, run) : undefined,
      ...factsAround(run, family, (each) => asksOf(reader, each)),
      asks,
      unread: isLatest && holdsUnread(run) ? unreadOf(reader, run) : undefined,
      queueLength: queue.order.length,
      queueLine: queue.line,
      isDriven,
    },
  )
}

/** Streaming text is stored only now and then. */
function activityFromRows(reader: Reader, { id: runId, branchId }: StoredRun): Activity {
  const calls = reader.find('tool_calls', { where: { runId, status: 'running' }, orderBy: 'id' })
  if (calls.length > 0) return activityOf(calls, [])
  const streaming = reader.find('messages', { where: { branchId, state: 'streaming' } })
  const message = streaming.findLast((each) => each.role === 'assistant' && each.runId === runId)
  if (!message) return activityOf([], [])
  return activityOf([], partsOf(reader, message.id), message.createdAt)
}

/** An active run reads new items at its next turn. */
export function holdsUnread({ status }: Pick<StoredRun, 'status'>): boolean {
  return status === 'completed' || status === 'paused'
}

/** Unread items on the branch of a run. */
export function unreadOf(reader: Reader, run: Pick<StoredRun, 'branchId' | 'status'>): UnreadCounts {
  const items = waitingItems(reader, run.branchId)
  const messages = items.filter(({ kind }) => kind === 'user').length
  return { reports: items.length - messages + unreadReports(reader, run), messages }
}

function partsOf(reader: Reader, messageId: MessageId): Part[] {
  return reader.find('parts', { where: { messageId }, orderBy: 'position' }).map(({ part }) => part)
}

/** Ids of a run's open asks. */
export function asksOf(reader: Reader, { id: runId }: { readonly id: string }): readonly string[] {
  const approvals = reader.find('approvals', {
    where: { runId: runId as RunId, answer: null },
    orderBy: 'id',
  })
  const questions = reader.find('questions', {
    where: { runId: runId as RunId, answeredAt: null },
    orderBy: 'id',
  })
  return [...approvals, ...questions].map(({ id }) => id)
}

/** The status line of each branch with a run, from its latest run. */
export function statusLinesOf(
  reader: Reader,
  conversationId: ConversationId,
  isDriven: boolean,
): ReadonlyMap<RunId, StatusLine> {
  const runs = reader.find('runs', { where: { conversationId }, orderBy: 'id' })
  const scope = statusScope(runs, queueFromRows(reader, conversationId), isDriven)
  const latest = new Map(runs.map((run) => [run.branchId, run]))
  return new Map(
    [...latest.values()].map((run) => {
      const asks = [...openApprovalIds(reader, run), ...openQuestionIds(reader, run)]
      return [run.id, statusLineFromRows(reader, run, asks, scope)]
    }),
  )
}

export function openApprovalIds(reader: Reader, { id, status }: StoredRun): ApprovalId[] {
  if (isStopped(status)) return []
  return reader.find('approvals', { where: { runId: id, answer: null }, orderBy: 'id' }).map((row) => row.id)
}

export function openQuestionIds(reader: Reader, { id, status }: StoredRun): QuestionId[] {
  if (isStopped(status)) return []
  const where = { runId: id, answeredAt: null }
  return reader.find('questions', { where, orderBy: 'id' }).map((row) => row.id)
}
