import {
  authorOfMessage,
  reportHeadline,
  shownMessages,
  type BranchNode,
  type BranchView,
} from 'offshoot/client'
import type { MessagePage, RunRow } from 'offshoot/protocol'

type Message = MessagePage['messages'][number]

/** Content of the tree besides branches: nothing, a person's messages, all text, or every message. */
export const treeFilters = ['branches', 'yours', 'said', 'all'] as const
export type TreeFilter = (typeof treeFilters)[number]

export interface Row {
  /** The id of the message or branch. */
  readonly id: string
  readonly branch: BranchView
  readonly run: RunRow | null
  /** null: the row of the branch itself. */
  readonly message: Message | null
  readonly text: string
  readonly level: number
  readonly hasChildren: boolean
  readonly open: boolean
}

/** Depth first, oldest first, without rows below closed ones. A branch follows its origin message. */
export function rowsOf(
  nodes: readonly BranchNode[],
  closed: ReadonlySet<string>,
  filter: TreeFilter,
): readonly Row[] {
  return nodes.flatMap(({ branch, run, depth, children }) => {
    const open = !closed.has(branch.id)
    const messages = messageRows(branch, depth + 2, filter)
    const hasChildren = children.length > 0 || messages.length > 0
    const row = { id: branch.id, branch, run, message: null, text: '', level: depth + 1, hasChildren, open }
    if (!open) return [row]
    const below = Map.groupBy(children, (child) => rowBefore(messages, child.branch))
    const rows = (before: Row | undefined) => rowsOf(below.get(before) ?? [], closed, filter)
    return [row, ...rows(undefined), ...messages.flatMap((message) => [message, ...rows(message)])]
  })
}

/** The last row up to the origin message of a branch. */
function rowBefore(messages: readonly Row[], { originMessageId }: BranchView): Row | undefined {
  return originMessageId === null ? undefined : messages.findLast(({ id }) => id <= originMessageId)
}

/** From the loaded messages. */
function messageRows(branch: BranchView, level: number, filter: TreeFilter): readonly Row[] {
  if (filter === 'branches') return []
  return shownMessages(branch).flatMap((message) => {
    const text = wordsOf(message, filter)
    if (text === '') return []
    return [{ id: message.id, branch, run: null, message, text, level, hasChildren: false, open: false }]
  })
}

/** Its first line, or its tool calls; empty: filtered out. */
function wordsOf(message: Message, filter: TreeFilter): string {
  const { role, parts } = message
  const isYours = role === 'user' && authorOfMessage(message) === 'person'
  if (role === 'tool' || role === 'system' || (filter === 'yours' && !isYours)) return ''
  const said = parts.flatMap((part) => (part.type === 'text' ? part.text.trim() : [])).find(Boolean)
  if (said) return said.split('\n', 1)[0] ?? ''
  const report = parts.find((part) => part.type === 'report')
  if (report) return reportHeadline(report.report, report.text)
  if (filter !== 'all') return ''
  return parts.flatMap((part) => (part.type === 'tool-call' ? part.tool : [])).join(', ')
}
