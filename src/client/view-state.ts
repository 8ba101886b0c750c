import type { BranchId, CallId, MessageId, PartId, RunId } from '../core/ids.ts'
import type { Message } from '../core/message.ts'
import type { ApprovalRow, QuestionRow } from '../protocol/approvals-and-questions.ts'
import type { InboxItem } from '../protocol/inbox.ts'
import type { BranchRow, Snapshot } from '../protocol/conversation.ts'
import type { CallRow, RunRow, Totals } from '../protocol/run.ts'

/** A tool call, with its latest output line while it runs. */
export interface CallView extends CallRow {
  readonly lastLine: string
}

/** A part of a streaming answer. `isCut`: some of its text was missed; it is complete once the answer is. */
export interface StreamingPart {
  readonly id: PartId
  readonly type: string
  readonly text: string
  readonly isCut: boolean
}

export interface StreamingMessage {
  readonly messageId: MessageId
  readonly runId: RunId | null
  readonly parts: readonly StreamingPart[]
}

export interface BranchView extends BranchRow {
  /** Its own loaded messages, oldest first; null: none were requested. */
  readonly messages: readonly Message[] | null
  /** Position below which older ones can be loaded; null: none. */
  readonly before: number | null
  /** How many of those older ones are system messages. */
  readonly systemsBefore: number
  /** Calls of the loaded messages. */
  readonly calls: Readonly<Record<CallId, CallView>>
  readonly streaming: StreamingMessage | null
  /** The latest completed answer; later deltas for it are ignored. */
  readonly lastAnswerId: MessageId | null
}

/** Recent answers and their authors: other clients show them instead of buttons. */
export interface Answered {
  readonly id: ApprovalRow['id'] | QuestionRow['id']
  /** `once`, `run`, `always`, `deny`, or the text; null: a question was closed without an answer. */
  readonly answer: string | null
  readonly by: string
  readonly at: number
}

/** A subagent has stopped. */
export interface Toast {
  readonly id: string
  readonly runId: RunId
  readonly branchId: BranchId
  readonly agent: string
  readonly task: string
  readonly status: RunRow['status']
  readonly reason: RunRow['reason']
  readonly headline: string | null
  readonly at: number
}

/** What both UIs draw of one conversation. Never mutated: parts that an event does not affect keep their identity. */
export interface ViewState {
  /** `seq` of the last applied stored event. */
  readonly seq: number
  /** Events were missed: no events are applied until the next snapshot. */
  readonly isStale: boolean
  readonly isDeleted: boolean
  readonly conversation: Snapshot['conversation']
  readonly owner: Snapshot['owner']
  readonly sandbox: Snapshot['sandbox']
  /** Whether a process drives it, from the snapshot and later events. */
  readonly isDriven: boolean
  readonly branches: Readonly<Record<BranchId, BranchView>>
  readonly runs: Readonly<Record<RunId, RunRow>>
  /** The latest run of each branch. */
  readonly latestRuns: Readonly<Record<BranchId, RunId>>
  readonly runsOmitted: number
  /** The last calls of each run, oldest first. */
  readonly steps: Readonly<Record<RunId, readonly CallView[]>>
  /** Those that wait for a slot, the next first. */
  readonly queue: readonly RunId[]
  /** Open ones of the whole conversation, oldest first. */
  readonly approvals: readonly ApprovalRow[]
  readonly questions: readonly QuestionRow[]
  readonly answered: readonly Answered[]
  /** Of all branches, in the order in which each is read. */
  readonly inbox: readonly InboxItem[]
  readonly slots: Snapshot['slots']
  readonly budget: Snapshot['budget']
  /** Of every run, each counted once. */
  readonly totals: Totals
  readonly toasts: readonly Toast[]
}

/** The state that a snapshot tells. What `before` had loaded of messages stays until it is loaded anew. */
export function stateOf(snapshot: Snapshot, before?: ViewState): ViewState {
  const { runs, calls, branches, streaming, ...rest } = snapshot
  const steps: Record<RunId, CallView[]> = {}
  for (const call of calls) (steps[call.runId] ??= []).push(viewOfCall(call))
  const views = branches.map((row) => branchOf(row, streaming, before?.branches[row.id]))
  return {
    isStale: false,
    isDeleted: false,
    isDriven: snapshot.owner !== null,
    answered: before?.answered ?? [],
    toasts: before?.toasts ?? [],
    ...rest,
    branches: Object.fromEntries(views.map((view) => [view.id, view])),
    runs: Object.fromEntries(runs.map((run) => [run.id, run])),
    latestRuns: Object.fromEntries(runs.map((run) => [run.branchId, run.id])),
    steps,
    queue: runs
      .filter((run) => run.queuePosition !== null)
      .toSorted((a, b) => a.queuePosition! - b.queuePosition!)
      .map((run) => run.id),
  }
}

export function newBranch(row: BranchRow): BranchView {
  return {
    ...row,
    messages: null,
    before: null,
    systemsBefore: 0,
    calls: {},
    streaming: null,
    lastAnswerId: null,
  }
}

function branchOf(
  row: BranchRow,
  streaming: Snapshot['streaming'],
  before: BranchView | undefined,
): BranchView {
  const partial = streaming.find(({ branchId }) => branchId === row.id)
  return { ...newBranch(row), ...loadedOf(before), streaming: partial ? streamingOf(partial) : null }
}

function loadedOf(before: BranchView | undefined) {
  if (!before) return {}
  const { messages, before: older, systemsBefore, calls, lastAnswerId } = before
  return { messages, before: older, systemsBefore, calls, lastAnswerId }
}

function streamingOf({ messageId, runId, parts }: Snapshot['streaming'][number]): StreamingMessage {
  return {
    messageId,
    runId,
    parts: parts.map((part) => ({
      id: part.id,
      type: part.type,
      text: 'text' in part ? part.text : '',
      isCut: false,
    })),
  }
}

export function viewOfCall(call: CallRow): CallView {
  return { ...call, lastLine: '' }
}

/** What is stored of an answer that is being streamed is older than what is told of it. */
export function settledParts(message: Message): Message {
  return message.role === 'assistant' && message.state === 'streaming' ? { ...message, parts: [] } : message
}

/** Ids of messages are in the order of their time. */
export function later(a: MessageId | null, b: MessageId | null): MessageId | null {
  if (a === null || b === null) return a ?? b
  return a > b ? a : b
}
