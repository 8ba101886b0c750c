import type { Rows, Table } from './port.ts'

/**
 * How a value is stored; `?`: nullable. `text` is well-formed Unicode (a lone surrogate becomes U+FFFD), `json` keeps
 * any string. `packed` is bytes, compressed on disk. A `json` null is stored as NULL.
 */
export type Kind = BaseKind | `${BaseKind}?`
export type BaseKind = 'text' | 'int' | 'real' | 'bool' | 'json' | 'packed'

export type Column<T extends Table> = keyof Rows[T] & string

export interface TableSpec<T extends Table> {
  readonly key: readonly Column<T>[]
  /** The ordering column of a query that names none. */
  readonly order: Column<T>
  readonly columns: { readonly [C in Column<T>]-?: KindOf<Rows[T][C]> }
  /** Foreign keys to the one-column key of another table; deleting a row deletes rows that refer to it. */
  readonly references: { readonly [C in Column<T>]?: Table }
  /** Unique pairs; a pair with a null may repeat. Also an index on the first column in order of the second. */
  readonly unique: readonly (readonly [Column<T>, Column<T>])[]
  /** The column whose CRC-32 a store on disk keeps in `sum`, to detect altered text. */
  readonly summed?: Column<T>
  /** Additional indexes, beyond key, references and unique pairs. */
  readonly lookups: readonly (readonly Column<T>[])[]
}

type KindOf<V> = unknown extends V ? 'json?' : null extends V ? `${BaseOf<NonNullable<V>>}?` : BaseOf<V>
type BaseOf<V> = V extends boolean
  ? 'bool'
  : V extends string
    ? 'text'
    : V extends number
      ? 'int' | 'real'
      : V extends Uint8Array
        ? 'packed'
        : 'json'

/** Every table once: both stores are driven by this, and the migrations are tested against it. */
export const tables: { readonly [T in Table]: TableSpec<T> } = {
  conversations: {
    key: ['id'],
    order: 'id',
    columns: {
      id: 'text',
      directory: 'text',
      title: 'text',
      createdAt: 'int',
      updatedAt: 'int',
      budget: 'json?',
      mode: 'text?',
      sandbox: 'text?',
      number: 'int?',
    },
    references: {},
    unique: [],
    lookups: [['number']],
  },
  branches: {
    key: ['id'],
    order: 'id',
    columns: {
      id: 'text',
      conversationId: 'text',
      kind: 'text',
      inheritContext: 'bool',
      parentBranchId: 'text?',
      originMessageId: 'text?',
      originToolCallId: 'text?',
      agent: 'text',
      label: 'text',
      createdAt: 'int',
      updatedAt: 'int',
      outputSchema: 'json?',
      number: 'int?',
    },
    references: {
      conversationId: 'conversations',
      parentBranchId: 'branches',
      originMessageId: 'messages',
      originToolCallId: 'tool_calls',
    },
    unique: [['conversationId', 'number']],
    lookups: [],
  },
  messages: {
    key: ['id'],
    order: 'id',
    columns: {
      id: 'text',
      conversationId: 'text',
      branchId: 'text',
      position: 'int',
      role: 'text',
      state: 'text',
      runId: 'text?',
      usage: 'json?',
      createdAt: 'int',
    },
    references: { branchId: 'branches' },
    unique: [['branchId', 'position']],
    lookups: [],
  },
  parts: {
    key: ['id'],
    order: 'id',
    columns: { id: 'text', messageId: 'text', conversationId: 'text', position: 'int', part: 'json' },
    references: { messageId: 'messages' },
    unique: [['messageId', 'position']],
    summed: 'part',
    lookups: [],
  },
  runs: {
    key: ['id'],
    order: 'id',
    columns: {
      id: 'text',
      conversationId: 'text',
      branchId: 'text',
      parentRunId: 'text?',
      originCallId: 'text?',
      depth: 'int',
      agent: 'text',
      model: 'text',
      description: 'text',
      background: 'bool',
      status: 'text',
      reason: 'text?',
      waitingFor: 'json?',
      endReason: 'text?',
      attempt: 'int',
      stopNo: 'int',
      limits: 'json',
      turns: 'int',
      toolCalls: 'int',
      usage: 'json',
      costUsd: 'real?',
      lastAction: 'json?',
      reportMessageId: 'text?',
      reportNote: 'text?',
      error: 'json?',
      queuedAt: 'int',
      startedAt: 'int?',
      endedAt: 'int?',
      setup: 'json?',
      output: 'json?',
      pausing: 'text?',
      partialFrom: 'text?',
      unreported: 'bool?',
      finishReason: 'text?',
    },
    references: {
      conversationId: 'conversations',
      branchId: 'branches',
      parentRunId: 'runs',
      originCallId: 'tool_calls',
      reportMessageId: 'messages',
    },
    unique: [],
    lookups: [['status'], ['conversationId', 'status']],
  },
  tool_calls: {
    key: ['id'],
    order: 'id',
    columns: {
      id: 'text',
      conversationId: 'text',
      branchId: 'text',
      runId: 'text',
      messageId: 'text',
      partId: 'text',
      resultPartId: 'text?',
      tool: 'text',
      title: 'text',
      status: 'text',
      repeatable: 'bool',
      exitCode: 'int?',
      error: 'json?',
      startedAt: 'int',
      endedAt: 'int?',
      facts: 'json?',
    },
    references: { runId: 'runs' },
    unique: [],
    lookups: [],
  },
  approvals: {
    key: ['id'],
    order: 'id',
    columns: {
      id: 'text',
      conversationId: 'text',
      branchId: 'text',
      runId: 'text',
      callId: 'text',
      tool: 'text',
      title: 'text',
      detail: 'text',
      directory: 'text',
      path: 'json',
      rule: 'text',
      answer: 'text?',
      answeredBy: 'text?',
      note: 'text?',
      requestedAt: 'int',
      answeredAt: 'int?',
      offered: 'json?',
      number: 'int',
      sandbox: 'json?',
    },
    references: {
      conversationId: 'conversations',
      branchId: 'branches',
      runId: 'runs',
      callId: 'tool_calls',
    },
    unique: [['conversationId', 'number']],
    lookups: [['answer']],
  },
  questions: {
    key: ['id'],
    order: 'id',
    columns: {
      id: 'text',
      conversationId: 'text',
      branchId: 'text',
      runId: 'text',
      callId: 'text',
      question: 'text',
      options: 'json',
      path: 'json',
      answer: 'text?',
      answeredBy: 'text?',
      askedAt: 'int',
      answeredAt: 'int?',
      number: 'int',
    },
    references: {
      conversationId: 'conversations',
      branchId: 'branches',
      runId: 'runs',
      callId: 'tool_calls',
    },
    unique: [['conversationId', 'number']],
    lookups: [['answeredAt']],
  },
  inbox: {
    key: ['id'],
    order: 'id',
    columns: {
      id: 'text',
      conversationId: 'text',
      branchId: 'text',
      kind: 'text',
      mode: 'text',
      text: 'text',
      fromRunId: 'text?',
      stopNo: 'int?',
      createdAt: 'int',
      deliveredAt: 'int?',
      withdrawnAt: 'int?',
      author: 'json?',
      report: 'json?',
    },
    references: { conversationId: 'conversations', branchId: 'branches', fromRunId: 'runs' },
    unique: [['fromRunId', 'stopNo']],
    lookups: [
      ['branchId', 'deliveredAt'],
      ['conversationId', 'deliveredAt'],
    ],
  },
  rules: {
    key: ['id'],
    order: 'id',
    columns: {
      id: 'text',
      conversationId: 'text?',
      branchId: 'text?',
      kind: 'text',
      tool: 'text',
      pattern: 'text?',
      action: 'text',
      createdAt: 'int',
      directory: 'text?',
    },
    references: { conversationId: 'conversations', branchId: 'branches' },
    unique: [],
    lookups: [['directory']],
  },
  todos: {
    key: ['branchId'],
    order: 'branchId',
    columns: { branchId: 'text', conversationId: 'text', items: 'json', updatedAt: 'int' },
    references: { branchId: 'branches', conversationId: 'conversations' },
    unique: [],
    lookups: [],
  },
  events: {
    key: ['conversationId', 'seq'],
    order: 'seq',
    columns: { conversationId: 'text', seq: 'int', events: 'json' },
    references: { conversationId: 'conversations' },
    unique: [['conversationId', 'seq']],
    lookups: [],
  },
  artifacts: {
    key: ['id'],
    order: 'id',
    columns: {
      id: 'text',
      conversationId: 'text',
      hash: 'text',
      mediaType: 'text',
      size: 'int',
      content: 'packed',
      createdAt: 'int',
    },
    references: { conversationId: 'conversations' },
    unique: [['conversationId', 'hash']],
    lookups: [],
  },
  leases: {
    key: ['conversationId'],
    order: 'conversationId',
    columns: {
      conversationId: 'text',
      owner: 'text',
      host: 'text',
      bootId: 'text',
      pid: 'int',
      pidStart: 'int',
      epoch: 'int',
      takenAt: 'int',
      renewedAt: 'int',
    },
    references: { conversationId: 'conversations' },
    unique: [],
    lookups: [],
  },
  commands: {
    key: ['id'],
    order: 'id',
    columns: {
      id: 'text',
      conversationId: 'text',
      verb: 'text',
      target: 'text',
      args: 'json?',
      createdAt: 'int',
      answer: 'json?',
      answeredAt: 'int?',
    },
    references: { conversationId: 'conversations' },
    unique: [],
    lookups: [['conversationId', 'answeredAt']],
  },
  idempotency: {
    key: ['id'],
    order: 'id',
    columns: { id: 'text', request: 'text', answer: 'json?', createdAt: 'int' },
    references: {},
    unique: [],
    lookups: [['createdAt']],
  },
}
