import type { Branch } from '../../core/conversation.ts'
import type { Message } from '../../core/message.ts'
import { partForPeople } from '../../core/report/report-words.ts'
import type { Reader } from '../../store/port.ts'
import { readParts } from '../run/messages.ts'
import { callRow, type CallRow } from './snapshot.ts'
import { lastSeq } from '../log/stored-events.ts'

export interface MessagePage {
  readonly branchId: Branch['id']
  /** Events after this one are not in it. */
  readonly seq: number
  /** Oldest first. */
  readonly messages: readonly Message[]
  /** Their tool calls that have begun. */
  readonly calls: readonly CallRow[]
  /** The position that the page before this one ends below; null: there is none. */
  readonly before: number | null
  /** How many messages of the branch before these are system messages; absent: none. */
  readonly systemsBefore?: number
}

export interface PageOptions {
  /** Only messages whose position is smaller. */
  readonly before?: number | undefined
  readonly limit: number
}

/** The last messages of a branch, its own ones. */
export function messagePageOf(reader: Reader, branch: Branch, { before, limit }: PageOptions): MessagePage {
  const bound = before === undefined ? {} : { before }
  const last = { orderBy: 'position', descending: true, limit, ...bound } as const
  const rows = reader.find('messages', { where: { branchId: branch.id }, ...last }).toReversed()
  const messages = rows.map(({ conversationId: _, ...row }) => ({
    ...row,
    parts: readParts(reader, row.id).map(partForPeople),
  }))
  const first = messages[0]?.position ?? 0
  const systems = reader.find('messages', { where: { branchId: branch.id, role: 'system' } })
  const systemsBefore = systems.filter(({ position }) => position < first).length
  return {
    branchId: branch.id,
    seq: lastSeq(reader, branch.conversationId),
    messages,
    calls: messages.flatMap((message) => callsIn(reader, message)),
    before: first > 0 ? first : null,
    ...(systemsBefore > 0 ? { systemsBefore } : {}),
  }
}

function callsIn(reader: Reader, { parts }: Message): CallRow[] {
  return parts.flatMap((part) => {
    const row = part.type === 'tool-call' ? reader.get('tool_calls', part.callId) : undefined
    return row ? [callRow(row)] : []
  })
}
