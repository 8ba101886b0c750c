import type { JsonSchema } from '../core/agent.ts'
import type { CommandSandbox } from '../core/command-sandbox.ts'
import type { ArtifactId, BranchId, CallId, ConversationId, MessageId, RunId } from '../core/ids.ts'
import type { MessageState, Part, Role } from '../core/message.ts'
import type { Fact } from '../core/receipt.ts'
import type { Approval, Question, StoredRun, ToolCall } from '../core/run.ts'
import type { Usage } from '../core/usage.ts'
import type { InboxRow, RuleRow, TodoRow } from '../store/port.ts'

/**
 * The version written, and the newest version read. Before 2, a run that continued after an ended one counted turns
 * from that one.
 */
export const EXPORT_VERSION = 2
export const EXPORT_VERSIONS = [1, EXPORT_VERSION] as const

/**
 * A conversation as one JSON document (docs/export.md): branches are attached to their origin message. Times are
 * milliseconds since the epoch. It excludes what only applies to its store: events, the owner, and permissions granted
 * there.
 */
export interface ExportDocument {
  readonly version: number
  readonly id: ConversationId
  readonly title: string
  /** The workspace: an absolute path. */
  readonly directory: string
  readonly created: number
  readonly updated: number
  /** The last `seq` of its events; events of an imported conversation continue after it. */
  readonly seq?: number
  /** The main branch, whose messages are the conversation's. */
  readonly main?: ExportedMain
  readonly messages: readonly ExportedMessage[]
  /** Branches without an origin message. */
  readonly branches?: readonly ExportedBranch[]
  readonly restrictions?: readonly ExportedRule[]
  readonly artifacts?: readonly ExportedArtifact[]
}

export interface ExportedBranch {
  readonly id: BranchId
  /** `human` is a fork. Other words are later kinds of branches. */
  readonly type: string
  readonly inheritContext: boolean
  /** The parent branch, if it is not the containing one. */
  readonly parentBranchId?: BranchId | null
  readonly originToolCallId?: CallId
  readonly created: number
  readonly updated: number
  readonly metadata: BranchMetadata
  readonly messages: readonly ExportedMessage[]
}

export type ExportedMain = Omit<ExportedBranch, 'messages'>

/**
 * Status of a branch's last run in widely used terms: `running` includes queued and waiting, `max_iterations` is paused
 * at a limit, `abandoned` has an exited process.
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
  /** For a subagent: its task, from the first user message. */
  readonly task?: string
  /** For a subagent: the id that models use, from the id of the branch. */
  readonly subagentId?: BranchId
  readonly agent?: string
  readonly label?: string
  /** For a subagent: the schema that the report of each of its runs must satisfy. */
  readonly outputSchema?: JsonSchema
  /** These five are computed from the runs. */
  readonly state?: BranchState
  readonly iterations?: number
  readonly maxIterations?: number
  readonly usage?: Usage
  /** null: some price is unknown. */
  readonly costUsd?: number | null
  readonly runs: readonly ExportedRun[]
  readonly todos?: Pick<TodoRow, 'items' | 'updatedAt'>
  readonly inbox?: readonly ExportedInboxItem[]
  readonly restrictions?: readonly ExportedRule[]
}

export interface ExportedMessage {
  readonly id: MessageId
  readonly role: Role
  /** The text of its parts. */
  readonly content: string
  readonly parts: readonly Part[]
  readonly created: number
  readonly usage?: Usage
  /** If not `complete`. */
  readonly state?: MessageState
  /** The run that wrote it, if any. */
  readonly runId?: RunId
  readonly branches?: readonly ExportedBranch[]
}

export type ExportedRun = Omit<StoredRun, 'conversationId' | 'branchId'> & {
  /** The journal of its tool calls; input and output are message parts. */
  readonly calls: readonly ExportedCall[]
}

export type ExportedCall = Omit<ToolCall, 'conversationId' | 'branchId' | 'runId' | 'facts'> & {
  /** The tool's receipts. */
  readonly facts?: readonly Fact[]
  readonly approvals?: readonly ExportedApproval[]
  readonly questions?: readonly ExportedQuestion[]
}

/** Without the grant of an answer: a file gives no permission. */
export type ExportedApproval = Omit<
  Approval,
  'conversationId' | 'branchId' | 'runId' | 'callId' | 'offered' | 'number' | 'sandbox'
> & { readonly sandbox?: CommandSandbox }
export type ExportedQuestion = Omit<Question, 'conversationId' | 'branchId' | 'runId' | 'callId' | 'number'>
export type ExportedInboxItem = Omit<InboxRow, 'conversationId' | 'branchId'>
export type ExportedRule = Pick<RuleRow, 'tool' | 'pattern' | 'action' | 'createdAt'>

/** The full output, if a part has only head and tail. */
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

/** A branch with its place in a document. */
export interface PlacedBranch {
  /** undefined if the document has only messages for its main branch. */
  readonly branch: ExportedBranch | ExportedMain | undefined
  readonly messages: readonly ExportedMessage[]
  readonly parentBranchId: BranchId | null
  readonly originMessageId: MessageId | null
  /** `messages[3].branches[0]`, for people; '' for the main branch. */
  readonly place: string
}

/** Every branch of a document, each after its parent. Accepts documents of any depth. */
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

/** The path of a value within a branch or document. */
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
