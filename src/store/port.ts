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

/** A message without its parts: those are rows of their own, so that one can be added without rewriting the others. */
export type MessageRow = Omit<Message, 'parts'> & { readonly conversationId: ConversationId }

export interface PartRow {
  readonly id: PartId
  readonly messageId: MessageId
  readonly conversationId: ConversationId
  /** 0, 1, 2, ... in its message. */
  readonly position: number
  readonly part: Part
}

/** The durable events of one change, without what stands elsewhere (src/runtime/log/stored-events.ts). */
export interface EventRow {
  readonly conversationId: ConversationId
  /** Of the first one; theirs count on from it one by one. */
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

/** Input of a branch that waits to be delivered. */
export interface InboxRow {
  readonly id: InboxItemId
  readonly conversationId: ConversationId
  readonly branchId: BranchId
  readonly kind: 'user' | 'result' | 'note'
  readonly mode: 'steer' | 'follow_up'
  /** What was written: of a result by the subagent alone. */
  readonly text: string
  /** Of a message: who wrote it; null: an older program kept no record of it. */
  readonly author?: Author | null
  /** Of a result: what the runtime knows of the report. */
  readonly report?: ReportFacts | null
  /** Of a result: the run that stopped, and which of its stops. Unique together: each stop is handed over once. */
  readonly fromRunId: RunId | null
  readonly stopNo: number | null
  readonly createdAt: number
  readonly deliveredAt: number | null
  readonly withdrawnAt: number | null
}

/** Restrictions of one spawn, grants and delegations: a recovered run has exactly the restrictions of its spawn. */
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
  /** Of a grant for a whole directory: its absolute path. */
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
  /** 0 once it was given back. */
  readonly renewedAt: number
}

/** A verb that another process asks the owner to carry out. */
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

/** A call of another program that has a name of its own: it is done once, however often it is sent. */
export interface IdempotencyRow {
  /** The name that the caller gave it. */
  readonly id: string
  /** What was asked: a hash of method, path and body. */
  readonly request: string
  /** Status and body of the answer; null while it is being done, or after a process that ended over it. */
  readonly answer: unknown
  readonly createdAt: number
}

/** Every table with its row. Keys: `id`, but `branchId` of todos, `conversationId` of leases, (conversationId, seq) of events. */
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

/** Reads see what is committed; inside a transaction they see its own writes too. */
export interface Reader {
  /** By key. Not for events, whose key has two columns. */
  get<T extends Exclude<Table, 'events'>>(table: T, key: string): Rows[T] | undefined
  find<T extends Table>(table: T, query: Query<T>): Rows[T][]
  count<T extends Table>(table: T, where: Partial<Rows[T]>): number
}

export interface Tx extends Reader {
  /** @throws OffshootError `conflict` when the key, a unique column pair or a foreign key says no. */
  insert<T extends Table>(table: T, row: Rows[T]): void
  /** Changes the named columns. @throws OffshootError `not_found` when there is no such row. */
  update<T extends Exclude<Table, 'events'>>(table: T, key: string, change: Partial<Rows[T]>): void
  /** Deletes by key, with everything that hangs on it (foreign keys, cascade). Says whether there was one. */
  delete<T extends Exclude<Table, 'events'>>(table: T, key: string): boolean
}

export interface TxOptions {
  /** Whether it must survive a power loss once the promise settles. False only for partial parts and progress. */
  readonly durable: boolean
}

/**
 * The store of one process. Writes are synchronous closures: those of one event-loop turn share one transaction, each
 * in a savepoint of its own, so that one failure does not undo the others. The promise settles after COMMIT. A closure
 * must not await and must not keep `tx`. Errors: OffshootError with a `store_…` code, or what the closure threw.
 */
export interface Store extends Reader {
  tx<T>(write: (tx: Tx) => T, options: TxOptions): Promise<T>
  /** Another number than before when another process (or store on the same file) has written since. */
  dataVersion(): number
  /** Waits for what was begun; later calls are refused. */
  close(): Promise<void>
}
