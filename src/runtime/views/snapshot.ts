import type { LinePlace } from '../asking/person-waits.ts'
import type { Branch, Conversation } from '../../core/conversation.ts'
import type { CommandSandbox, SandboxForce } from '../../core/command-sandbox.ts'
import type { ConversationId, RunId } from '../../core/ids.ts'
import type { Approval, Question, QueueLine, StoredRun, ToolCall } from '../../core/run.ts'
import { factsForPeople } from '../../core/report/report-words.ts'
import { isStopped } from '../../core/run-status.ts'
import type { InboxRow, LeaseRow, Reader } from '../../store/port.ts'
import { inReadingOrder } from '../run/inbox.ts'
import type { PartialMessage } from '../run/partial-message.ts'
import { runRows, type RunRow, type RunTotals } from './run-rows.ts'
import { lastSeq } from '../log/stored-events.ts'

/** Everything that a client draws of a conversation, except messages; events after `seq` bring it up to date. */
export interface Snapshot {
  readonly seq: number
  readonly conversation: Omit<Conversation, 'budget' | 'mode' | 'number' | 'sandbox'> & {
    readonly mode: string | null
  }
  readonly owner: Owner | null
  /** What is between its commands and the machine; null: another process decides that. */
  readonly sandbox: SandboxForce | null
  readonly branches: readonly Omit<Branch, 'number' | 'outputSchema' | 'updatedAt'>[]
  readonly runs: readonly RunRow[]
  readonly runsOmitted: number
  readonly calls: readonly CallRow[]
  readonly streaming: readonly PartialMessage[]
  readonly approvals: readonly ApprovalRow[]
  readonly questions: readonly QuestionRow[]
  readonly inbox: readonly InboxItem[]
  readonly slots: {
    readonly running: number
    readonly max: number
    readonly queued: number
    /** Absent: they wait for a slot of the conversation. */
    readonly line?: QueueLine
  }
  readonly budget: { readonly usd: number | null; readonly tokens: number | null }
  readonly totals: RunTotals
}

/** The process that drives it; `mine`: this one. */
interface Owner {
  readonly pid: number
  readonly host: string
  /** Milliseconds since the epoch. */
  readonly since: number
  readonly mine: boolean
}

export type CallRow = Pick<
  ToolCall,
  'id' | 'branchId' | 'runId' | 'tool' | 'title' | 'status' | 'exitCode' | 'error' | 'startedAt' | 'endedAt'
>
export type ApprovalRow = LinePlace &
  Omit<Approval, 'answer' | 'answeredBy' | 'note' | 'answeredAt' | 'offered' | 'sandbox'> & {
    readonly grant: NonNullable<Approval['offered']> | null
    readonly pattern: string | null
    readonly sandbox: CommandSandbox | null
  }
export type QuestionRow = LinePlace & Omit<Question, 'answer' | 'answeredBy' | 'answeredAt'>
export type InboxItem = Omit<InboxRow, 'stopNo' | 'deliveredAt' | 'withdrawnAt' | 'author' | 'report'> & {
  readonly [K in 'author' | 'report']: NonNullable<InboxRow[K]> | null
}

/** State that the rows do not hold. */
export interface SnapshotFacts {
  /** Slots of the conversation (`limits.maxConcurrent`). */
  readonly maxConcurrent: number
  /** The lease of the live owner. */
  readonly owner?: LeaseRow | undefined
  /** Whether that is this process. */
  readonly mine?: boolean
  /** What is between the commands of this process and the machine. */
  readonly sandbox?: SandboxForce
  /** From memory (`runtime.partials`): newer than the rows. */
  readonly streaming?: readonly PartialMessage[]
  /** Most stopped runs to include, latest first. Default: 300. */
  readonly maxRuns?: number
}

/** Synchronous, so that a subscriber in the same event-loop turn misses nothing. */
export function snapshotOf(reader: Reader, conversation: Conversation, facts: SnapshotFacts): Snapshot {
  const { id } = conversation
  const { budget, mode = null, number: _number, sandbox: _, ...about } = conversation
  const shown = shownRuns(reader, id, facts.maxRuns ?? 300)
  const { rows, calls, totals, queue } = runRows(reader, id, (run) => shown.has(run.id))
  const open = new Set(rows.filter(({ status }) => !isStopped(status)).map((run) => run.id))
  return {
    seq: lastSeq(reader, id),
    conversation: { ...about, mode },
    owner: ownerOf(facts),
    sandbox: facts.owner && !facts.mine ? null : (facts.sandbox ?? null),
    branches: reader.find('branches', { where: { conversationId: id }, orderBy: 'id' }).map(branchRow),
    runs: rows,
    runsOmitted: totals.runs - rows.length,
    calls: calls.map(callRow),
    streaming: facts.streaming ?? [],
    approvals: openApprovals(reader, id, open),
    questions: openQuestions(reader, id, open),
    inbox: waiting(reader, id),
    slots: {
      running: rows.filter(holdsSlot).length,
      max: facts.maxConcurrent,
      queued: queue.order.length,
      ...(queue.line === 'process' ? { line: queue.line } : {}),
    },
    budget: { usd: budget?.usd ?? null, tokens: budget?.tokens ?? null },
    totals,
  }
}

/** Active runs, the runs that they work for, and the latest of the others. */
function shownRuns(reader: Reader, conversationId: ConversationId, maxRuns: number): ReadonlySet<RunId> {
  const last = { orderBy: 'id', descending: true, limit: maxRuns } as const
  const latest = reader.find('runs', { where: { conversationId }, ...last })
  const shown = new Set(latest.map((run) => run.id))
  if (latest.length < maxRuns) return shown
  const open = (['queued', 'running', 'waiting', 'paused'] as const).flatMap((status) =>
    reader.find('runs', { where: { conversationId, status } }),
  )
  for (const run of open)
    for (let at: StoredRun | undefined = run; at && !shown.has(at.id);) {
      shown.add(at.id)
      at = at.parentRunId ? reader.get('runs', at.parentRunId) : undefined
    }
  return shown
}

function ownerOf({ owner, mine = false }: SnapshotFacts): Owner | null {
  return owner ? { pid: owner.pid, host: owner.host, since: owner.takenAt, mine } : null
}

export function branchRow({
  number: _number,
  outputSchema: _,
  updatedAt: _at,
  ...row
}: Branch): Snapshot['branches'][number] {
  return row
}

export function callRow(call: ToolCall): CallRow {
  const { id, branchId, runId, tool, title, status, exitCode, error, startedAt, endedAt } = call
  return { id, branchId, runId, tool, title, status, exitCode, error, startedAt, endedAt }
}

function openApprovals(
  reader: Reader,
  conversationId: ConversationId,
  open: ReadonlySet<RunId>,
): ApprovalRow[] {
  const rows = reader.find('approvals', { where: { conversationId, answer: null }, orderBy: 'id' })
  return inLine(rows.filter(({ runId }) => open.has(runId)).map(approvalRow))
}

/** An open one; `inLine` gives its place. */
export function approvalRow(row: Approval): Omit<ApprovalRow, keyof LinePlace> {
  const {
    answer: _,
    answeredBy: _by,
    note: _note,
    answeredAt: _at,
    offered: grant = null,
    sandbox = null,
    ...asked
  } = row
  return { ...asked, grant, sandbox, pattern: grant?.pattern ?? null }
}

function openQuestions(
  reader: Reader,
  conversationId: ConversationId,
  open: ReadonlySet<RunId>,
): QuestionRow[] {
  const rows = reader.find('questions', { where: { conversationId, answeredAt: null }, orderBy: 'id' })
  return inLine(rows.filter(({ runId }) => open.has(runId)).map(questionRow))
}

export function questionRow(row: Question): Omit<QuestionRow, keyof LinePlace> {
  const { answer: _, answeredBy: _by, answeredAt: _at, ...asked } = row
  return asked
}

/** Rows of one conversation, oldest first. */
export function inLine<T extends object>(rows: readonly T[]): (T & LinePlace)[] {
  return rows.map((row, i) => ({ ...row, position: i + 1, of: rows.length }))
}

function waiting(reader: Reader, conversationId: ConversationId): InboxItem[] {
  const rows = reader.find('inbox', { where: { conversationId, deliveredAt: null }, orderBy: 'id' })
  return inReadingOrder(rows.filter((row) => row.withdrawnAt === null)).map(inboxItem)
}

export function inboxItem(row: InboxRow): InboxItem {
  const { stopNo: _, deliveredAt: _at, withdrawnAt: _w, author = null, report = null, ...item } = row
  return { ...item, author, report: report && factsForPeople(report) }
}

/** Main runs need none. */
function holdsSlot({ depth, status, reason }: RunRow): boolean {
  return depth > 0 && (status === 'running' || (status === 'waiting' && reason === 'retry'))
}
