import { OffshootError } from '../core/errors.ts'
import type { ConversationId } from '../core/ids.ts'
import type { Reader, Rows } from '../store/port.ts'

/** The rows of a conversation, except events and lease. Each list is ordered by key. */
export type ConversationRows = { readonly [T in Exported]: readonly Rows[T][] } & {
  readonly conversations: readonly [Rows['conversations']]
}

type Exported =
  | 'branches'
  | 'messages'
  | 'parts'
  | 'runs'
  | 'tool_calls'
  | 'approvals'
  | 'questions'
  | 'inbox'
  | 'rules'
  | 'todos'
  | 'artifacts'

/** @throws OffshootError `usage` for an unknown conversation. */
export function readConversationRows(store: Reader, id: ConversationId): ConversationRows {
  const conversation = store.get('conversations', id)
  if (!conversation)
    throw new OffshootError('not_found', `there is no conversation ${id}`, { hint: 'offshoot ls lists them' })
  const where = { conversationId: id }
  const branches = store.find('branches', { where })
  const runs = store.find('runs', { where })
  const messages = inOrder(
    branches.flatMap((each) => store.find('messages', { where: { branchId: each.id } })),
  )
  return {
    conversations: [conversation],
    branches,
    messages,
    parts: inOrder(messages.flatMap((each) => store.find('parts', { where: { messageId: each.id } }))),
    runs,
    tool_calls: inOrder(runs.flatMap((each) => store.find('tool_calls', { where: { runId: each.id } }))),
    approvals: store.find('approvals', { where }),
    questions: store.find('questions', { where }),
    inbox: store.find('inbox', { where }),
    rules: store.find('rules', { where }),
    todos: store.find('todos', { where }),
    artifacts: store.find('artifacts', { where }),
  }
}

function inOrder<Row extends { readonly id: string }>(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

/** The rows by the value of a column. */
export function groupBy<Row, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>()
  for (const row of rows) {
    const key = keyOf(row)
    const group = groups.get(key)
    if (group) group.push(row)
    else groups.set(key, [row])
  }
  return groups
}
