import type { BranchId, MessageId } from '../../core/ids.ts'
import type { Author } from '../../core/message.ts'
import type { DocumentRows } from '../document-rows.ts'

type Rows = Pick<DocumentRows, 'branches' | 'messages' | 'parts' | 'runs' | 'tool_calls'>

/**
 * A subagent's first message is its task: from the agent whose call started it, else from a person. An older program
 * kept no author for it. Older stores get the same (store/migrations/0009_who_wrote_what.sql).
 */
export function authoredTasks<T extends Rows>(rows: T): T {
  const authors = taskAuthors(rows)
  const parts = rows.parts.map((row) => {
    const { part, position, messageId } = row
    const author = position === 0 && part.type === 'text' && !part.author && authors.get(messageId)
    return author ? { ...row, part: { ...part, author } } : row
  })
  return { ...rows, parts }
}

function taskAuthors({ branches, messages, runs, tool_calls }: Rows): ReadonlyMap<MessageId, Author> {
  const writers = new Map(runs.map((run) => [run.id, run]))
  const callers = new Map(tool_calls.map((call) => [call.id, writers.get(call.runId)]))
  const authors = new Map<BranchId, Author>()
  for (const { id, kind, parentBranchId, originToolCallId } of branches) {
    if (kind !== 'subagent') continue
    const caller = originToolCallId && callers.get(originToolCallId)
    if (originToolCallId === null) authors.set(id, 'person')
    else if (caller && parentBranchId) authors.set(id, { agent: caller.agent, branchId: parentBranchId })
  }
  const tasks = messages.filter(({ position, role, runId }) => position === 1 && role === 'user' && runId)
  return new Map(
    tasks.flatMap(({ id, branchId }) => {
      const author = authors.get(branchId)
      return author ? [[id, author] as const] : []
    }),
  )
}
