import type { Branch, Conversation } from '../core/conversation.ts'
import type {
  ArtifactId,
  BranchId,
  ConversationId,
  InboxItemId,
  MessageId,
  PartId,
  RunId,
} from '../core/ids.ts'
import type { Author, Message, Part } from '../core/message.ts'
import type { ReportFacts } from '../core/report-facts.ts'
import type { Approval, Question, StoredRun, ToolCall } from '../core/run.ts'

/** A message without its parts, which have their own rows, so that adding one rewrites no other. */
export type MessageRow = Omit<Message, 'parts'> & { readonly conversationId: ConversationId }

export interface PartRow {
  readonly id: PartId
  readonly messageId: MessageId
  readonly conversationId: ConversationId
  /** 0, 1, 2, ... in its message. */
  readonly position: number
  readonly part: Part
}

/** The durable events of one change, without content of other rows (src/runtime/log/stored-events.ts). */
export interface EventRow {
  readonly conversationId: ConversationId
  /** `seq` of the first one; the others count from it. */
  readonly seq: number
  readonly events: readonly object[]
}

export interface ArtifactRow {
  readonly id: ArtifactId
  readonly conversationId: ConversationId
  /** SHA-256 of the content, hex; unique in its conversation. */
  readonly hash: string
  readonly mediaType: string
  /** Bytes of the content before compression. */
  readonly size: number
  readonly content: Uint8Array
  readonly createdAt: number
}

/** Input of a branch that waits for delivery. */
export interface InboxRow {
  readonly id: InboxItemId
  readonly conversationId: ConversationId
  readonly branchId: BranchId
  readonly kind: 'user' | 'result' | 'note'
  readonly mode: 'steer' | 'follow_up'
  /** The text; for a result, only what the subagent wrote. */
  readonly text: string
  /** For a message: its author; null: an older program kept no record. */
  readonly author?: Author | null
  /** For a result: what the runtime knows about the report. */
  readonly report?: ReportFacts | null
  /** For a result: the stopped run, and the number of its stop. Unique together: each stop is delivered once. */
  readonly fromRunId: RunId | null
  readonly stopNo: number | null
  readonly createdAt: number
  readonly deliveredAt: number | null
  readonly withdrawnAt: number | null
}

/** Restrictions of a spawn, grants and delegations: a recovered run has exactly the restrictions of its spawn. */
export interface RuleRow {
  readonly id: string
  /** null: for every conversation of a directory. */
  readonly conversationId: ConversationId | null
  /** null: for the whole conversation. */
  readonly branchId: BranchId | null
  readonly kind: 'restriction' | 'grant' | 'delegation'
  readonly tool: string
  readonly pattern: string | null
  readonly action: 'allow' | 'ask' | 'deny'
  readonly createdAt: number
  /** For a grant to a whole directory: its absolute path. */
  readonly directory?: string | null
}

export interface TodoRow {
  readonly branchId: BranchId
  readonly conversationId: ConversationId
  readonly items: readonly { readonly text: string; readonly status: string }[]
  readonly updatedAt: number
}

/** Which process drives a conversation (invariant R5). */
export interface LeaseRow {
  readonly conversationId: ConversationId
  readonly owner: string
  readonly host: string
  readonly bootId: string
  readonly pid: number
  readonly pidStart: number
  readonly epoch: number
  readonly takenAt: number
  /** 0 after its release. */
  readonly renewedAt: number
}

/** A command of another process for the owner. */
export interface CommandRow {
  readonly id: string
  readonly conversationId: ConversationId
  readonly verb: string
  readonly target: string
  readonly args: unknown
  readonly createdAt: number
  readonly answer: unknown
  readonly answeredAt: number | null
}

/** A request of another program with its own name: executed once, however often it is sent. */
export interface IdempotencyRow {
  /** The caller's name for it. */
  readonly id: string
  /** Hash of method, path and body. */
  readonly request: string
  /** Status and body of the response; null while it is executed, or if its process exited. */
  readonly answer: unknown
  readonly createdAt: number
}

/**
 * Every table with its row. Keys: `id`, but `branchId` of todos, `conversationId` of leases, (conversationId, seq) of
 * events.
 */
export interface Rows {
  conversations: Conversation
  branches: Branch
  messages: MessageRow
  parts: PartRow
  runs: StoredRun
  tool_calls: ToolCall
  approvals: Approval
  questions: Question
  inbox: InboxRow
  rules: RuleRow
  todos: TodoRow
  events: EventRow
  artifacts: ArtifactRow
  leases: LeaseRow
  commands: CommandRow
  idempotency: IdempotencyRow
}

export type Table = keyof Rows

export interface Query<T extends Table> {
  /** Columns that must be equal. null matches null. */
  readonly where?: Partial<Rows[T]>
  /** Only rows whose ordering column is greater than this. */
  readonly after?: number | string
  /** Only rows whose ordering column is less than this. */
  readonly before?: number | string
  /** The ordering column, ascending; default: the key. */
  readonly orderBy?: keyof Rows[T] & string
  readonly descending?: boolean
  readonly limit?: number
}

/** Reads see committed data; inside a transaction also its own writes. */
export interface Reader {
  /** By key. Not for events, whose key has two columns. */
  get<T extends Exclude<Table, 'events'>>(table: T, key: string): Rows[T] | undefined
  find<T extends Table>(table: T, query: Query<T>): Rows[T][]
  count<T extends Table>(table: T, where: Partial<Rows[T]>): number
}

export interface Tx extends Reader {
  /** @throws OffshootError `conflict` for a duplicate key or unique column pair, or a missing foreign key. */
  insert<T extends Table>(table: T, row: Rows[T]): void
  /** Changes the named columns. @throws OffshootError `not_found` for a missing row. */
  update<T extends Exclude<Table, 'events'>>(table: T, key: string, change: Partial<Rows[T]>): void
  /** Deletes by key, with everything that refers to it (foreign keys, cascade). Returns whether there was one. */
  delete<T extends Exclude<Table, 'events'>>(table: T, key: string): boolean
}

export interface TxOptions {
  /** Whether it must survive a power loss once the promise settles. False only for partial parts and progress. */
  readonly durable: boolean
}

/**
 * The store of one process. Writes are synchronous closures: those of one event-loop turn share a transaction, each in
 * its own savepoint, so that one failure does not undo the others. The promise settles after COMMIT. A closure must not
 * await and must not keep `tx`. Errors: OffshootError with a `store_…` code, or what the closure threw.
 */
export interface Store extends Reader {
  tx<T>(write: (tx: Tx) => T, options: TxOptions): Promise<T>
  /** Changes when another process (or store on the same file) has written. */
  dataVersion(): number
  /** Waits for pending work; later calls are refused. */
  close(): Promise<void>
}
