import type { BranchId, ConversationId, NewId, RunId } from '../../core/ids.ts'
import type { Message, MessageState, Part, Role } from '../../core/message.ts'
import type { PartRow, Reader } from '../../store/port.ts'
import type { Change } from '../log/recorder.ts'
import type { EventDraft } from '../../core/events.ts'

export type Place = Pick<EventDraft, 'at' | 'conversationId' | 'branchId' | 'runId' | 'parentRunId' | 'depth'>

export interface NewMessage {
  readonly branchId: BranchId
  readonly role: Role
  readonly parts: readonly Part[]
  readonly runId: RunId | null
}

/** Appends a whole message to its branch and tells of it. */
export function appendMessage(change: Change, newId: NewId, place: Place, message: NewMessage): Message {
  const full: Message = {
    id: newId('msg'),
    position: change.nextPosition(message.branchId),
    state: 'complete',
    usage: null,
    createdAt: change.at,
    ...message,
  }
  insertMessage(change, place, full)
  tellEnd(change, place, full, 'complete')
  return full
}

/** Writes a message row with the parts it has so far. */
export function insertMessage(change: Change, place: Place, message: Message): void {
  const { parts, ...row } = message
  const conversationId = place.conversationId
  change.tx.insert('messages', { ...row, conversationId })
  change.event({
    type: 'message.appended',
    ...place,
    messageId: row.id,
    role: row.role,
    position: row.position,
    writerRunId: row.runId,
  })
  parts.forEach((part, position) =>
    insertPart(change, conversationId, { messageId: message.id, position, part }),
  )
  for (const part of parts) tellPart(change, place, row.id, part)
}

export function tellPart(change: Change, place: Place, messageId: Message['id'], part: Part): void {
  change.event({
    type: 'part.completed',
    ...place,
    messageId,
    partId: part.id,
    kind: part.type,
    part: { ...part },
  })
}

export function tellEnd(
  change: Change,
  place: Place,
  { id: messageId, role, position }: Pick<Message, 'id' | 'role' | 'position'>,
  state: Exclude<MessageState, 'streaming'>,
): void {
  change.event({ type: 'message.completed', ...place, messageId, role, position, state })
}

export function insertPart(
  { tx }: Pick<Change, 'tx'>,
  conversationId: ConversationId,
  { messageId, position, part }: Pick<PartRow, 'messageId' | 'position' | 'part'>,
): void {
  tx.insert('parts', { id: part.id, messageId, conversationId, position, part })
}

/** The messages of a branch with their parts, oldest first. */
export function readMessages(reader: Reader, branchId: BranchId): Message[] {
  return reader
    .find('messages', { where: { branchId }, orderBy: 'position' })
    .map(({ conversationId: _, ...row }) => ({
      ...row,
      parts: readParts(reader, row.id),
    }))
}

export function readParts(reader: Reader, messageId: Message['id']): Part[] {
  return reader.find('parts', { where: { messageId }, orderBy: 'position' }).map((row) => row.part)
}
