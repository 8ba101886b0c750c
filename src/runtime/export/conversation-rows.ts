import { OffshootError } from '../../core/errors.ts'
import type { ConversationId } from '../../core/ids.ts'
import type { Reader, Rows } from '../../store/port.ts'

/** What a conversation consists of, beyond its events and its owner. Each list in the order of the key. */
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
  | 'inbox'
  | 'rules'
  | 'todos'
  | 'artifacts'

/** @throws OffshootError `usage` when there is no such conversation. */
export function readConversationRows(store: Reader, id: ConversationId): ConversationRows {
  const conversation = store.get('conversations', id)
  if (!conversation)
    throw new OffshootError('usage', `there is no conversation ${id}`, { hint: 'offshoot ls lists them' })
  const where = { conversationId: id }
  return {
    conversations: [conversation],
    branches: store.find('branches', { where }),
    messages: store.find('messages', { where }),
    parts: store.find('parts', { where }),
    runs: store.find('runs', { where }),
    tool_calls: store.find('tool_calls', { where }),
    approvals: store.find('approvals', { where }),
    inbox: store.find('inbox', { where }),
    rules: store.find('rules', { where }),
    todos: store.find('todos', { where }),
    artifacts: store.find('artifacts', { where }),
  }
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
