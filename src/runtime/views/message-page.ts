import type { Branch } from '../../core/conversation.ts'
import type { Message } from '../../core/message.ts'
import { partForPeople } from '../../core/report/report-words.ts'
import type { Reader } from '../../store/port.ts'
import { readParts } from '../run/messages.ts'
import { callRow, type CallRow } from './snapshot.ts'
import { lastSeq } from '../log/stored-events.ts'

export interface MessagePage {
  readonly branchId: Branch['id']
  /** The page excludes events after this one. */
  readonly seq: number
  /** Oldest first. */
  readonly messages: readonly Message[]
  /** Their tool calls that have started. */
  readonly calls: readonly CallRow[]
  /** Position below which the previous page ends; null: none. */
  readonly before: number | null
  /** Number of earlier system messages on the branch; absent: none. */
  readonly systemsBefore?: number
}

export interface PageOptions {
  /** Only messages with a smaller position. */
  readonly before?: number | undefined
  readonly limit: number
}

/** The last own messages of a branch. */
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
