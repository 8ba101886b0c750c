import type { JsonSchema } from '../core/agent.ts'
import type { ArtifactId, BranchId, CallId, ConversationId, MessageId, RunId } from '../core/ids.ts'
import type { MessageState, Part, Role } from '../core/message.ts'
import type { Fact } from '../core/receipt.ts'
import type { Approval, Question, StoredRun, ToolCall } from '../core/run.ts'
import type { Usage } from '../core/usage.ts'
import type { InboxRow, RuleRow, TodoRow } from '../store/port.ts'

/**
 * What this program writes, and the newest that it reads. Before 2, a run that went on after the end of the one before it
 * counted its turns from those of that run.
 */
export const EXPORT_VERSION = 2
export const EXPORT_VERSIONS = [1, EXPORT_VERSION] as const

/**
 * A conversation as one JSON document (docs/export.md): branches stand on the message at which they start. Times are
 * milliseconds since the epoch. What a document lacks is what holds for the store it came from alone: events, the
 * owner, and permissions that were granted there.
 */
export interface ExportDocument {
  readonly version: number
  readonly id: ConversationId
  readonly title: string
  /** The workspace: an absolute path. */
  readonly directory: string
  readonly created: number
  readonly updated: number
  /** The last `seq` of its events; those of an imported conversation go on after it. */
  readonly seq?: number
  /** The main branch, whose messages are the conversation's. */
  readonly main?: ExportedMain
  readonly messages: readonly ExportedMessage[]
  /** Branches that start at no message. */
  readonly branches?: readonly ExportedBranch[]
  readonly restrictions?: readonly ExportedRule[]
  readonly artifacts?: readonly ExportedArtifact[]
}

export interface ExportedBranch {
  readonly id: BranchId
  /** `human` is a fork. Other words are kinds of branches that came later. */
  readonly type: string
  readonly inheritContext: boolean
  /** Where it is not the branch in which this one stands. */
  readonly parentBranchId?: BranchId | null
  readonly originToolCallId?: CallId
  readonly created: number
  readonly updated: number
  readonly metadata: BranchMetadata
  readonly messages: readonly ExportedMessage[]
}

export type ExportedMain = Omit<ExportedBranch, 'messages'>

/**
 * What became of a branch's last run, in words that several programs know: `running` for one that is queued or waits too,
 * `max_iterations` for one that paused at a limit, `abandoned` for one whose process exited.
 */
export const branchStates = [
  'running',
  'complete',
  'cancelled',
  'paused',
  'max_iterations',
  'abandoned',
  'failed',
] as const
export type BranchState = (typeof branchStates)[number]

export interface BranchMetadata {
  /** Of a subagent: what it was asked. Made from the first user message. */
  readonly task?: string
  /** Of a subagent: the id that a model calls it by. Made from the id of the branch. */
  readonly subagentId?: BranchId
  readonly agent?: string
  readonly label?: string
  /** Of a subagent: what the report of each of its runs has to satisfy. */
  readonly outputSchema?: JsonSchema
  /** These five are made from the runs. */
  readonly state?: BranchState
  readonly iterations?: number
  readonly maxIterations?: number
  readonly usage?: Usage
  /** null: a price is not known. */
  readonly costUsd?: number | null
  readonly runs: readonly ExportedRun[]
  readonly todos?: Pick<TodoRow, 'items' | 'updatedAt'>
  readonly inbox?: readonly ExportedInboxItem[]
  readonly restrictions?: readonly ExportedRule[]
}

export interface ExportedMessage {
  readonly id: MessageId
  readonly role: Role
  /** The text of its parts. Made from them. */
  readonly content: string
  readonly parts: readonly Part[]
  readonly created: number
  readonly usage?: Usage
  /** Where it is not `complete`. */
  readonly state?: MessageState
  /** The run that wrote it, if one did. */
  readonly runId?: RunId
  readonly branches?: readonly ExportedBranch[]
}

export type ExportedRun = Omit<StoredRun, 'conversationId' | 'branchId'> & {
  /** The journal of its tool calls; input and output are parts of the messages. */
  readonly calls: readonly ExportedCall[]
}

export type ExportedCall = Omit<ToolCall, 'conversationId' | 'branchId' | 'runId' | 'facts'> & {
  /** What its tool says that it did. */
  readonly facts?: readonly Fact[]
  readonly approvals?: readonly ExportedApproval[]
  readonly questions?: readonly ExportedQuestion[]
}

/** Without what an answer granted: a file gives no permission. */
export type ExportedApproval = Omit<
  Approval,
  'conversationId' | 'branchId' | 'runId' | 'callId' | 'offered' | 'number'
>
export type ExportedQuestion = Omit<Question, 'conversationId' | 'branchId' | 'runId' | 'callId' | 'number'>
export type ExportedInboxItem = Omit<InboxRow, 'conversationId' | 'branchId'>
export type ExportedRule = Pick<RuleRow, 'tool' | 'pattern' | 'action' | 'createdAt'>

/** The whole of an output of which a part holds head and tail. */
export interface ExportedArtifact {
  readonly id: ArtifactId
  /** SHA-256 of the content, hex. */
  readonly hash: string
  readonly mediaType: string
  /** Bytes of the content. */
  readonly size: number
  /** The content in base64. */
  readonly data: string
  readonly created: number
}

/** A branch where it stands in a document. */
export interface PlacedBranch {
  /** undefined where a document does not say anything about its main branch but the messages. */
  readonly branch: ExportedBranch | ExportedMain | undefined
  readonly messages: readonly ExportedMessage[]
  readonly parentBranchId: BranchId | null
  readonly originMessageId: MessageId | null
  /** `messages[3].branches[0]`, for people; '' for the main branch. */
  readonly place: string
}

/** Every branch of a document, each after the one in which it stands. Takes documents of any depth. */
export function* branchesOf(document: ExportDocument): Generator<PlacedBranch> {
  const { main, messages } = document
  const parentBranchId = main?.parentBranchId ?? null
  const mainBranch = { branch: main, messages, parentBranchId, originMessageId: null, place: '' }
  yield mainBranch
  const open = [...standingOn(document, main?.id ?? null, null, ''), ...standingIn(mainBranch)].reverse()
  for (let next = open.pop(); next; next = open.pop()) {
    yield next
    for (const inner of standingIn(next).reverse()) open.push(inner)
  }
}

/** The place of something in a branch or document. */
export function at(place: string, name: string): string {
  return place === '' ? name : `${place}.${name}`
}

function standingIn({ branch, messages, place }: PlacedBranch): PlacedBranch[] {
  return messages.flatMap((message, i) =>
    standingOn(message, branch?.id ?? null, message.id, at(place, `messages[${i}]`)),
  )
}

function standingOn(
  { branches = [] }: { readonly branches?: readonly ExportedBranch[] },
  inside: BranchId | null,
  originMessageId: MessageId | null,
  place: string,
): PlacedBranch[] {
  return branches.map((branch, i) => {
    const parentBranchId = branch.parentBranchId === undefined ? inside : branch.parentBranchId
    const { messages } = branch
    return { branch, messages, parentBranchId, originMessageId, place: at(place, `branches[${i}]`) }
  })
}
