import type { BranchId, ConversationId, NewId, RunId } from '../../core/ids.ts'
import type { FinishReason } from '../../core/finish-reason.ts'
import type { Message, MessageState, Part, Role, SaidPart } from '../../core/message.ts'
import type { PartRow, Reader } from '../../store/port.ts'
import type { Change } from '../log/recorder.ts'
import type { EventDraft } from '../../core/events.ts'

export type EventScope = Pick<
  EventDraft,
  'at' | 'conversationId' | 'branchId' | 'runId' | 'parentRunId' | 'depth'
>

export type NewMessage = {
  readonly branchId: BranchId
  readonly runId: RunId | null
} & (
  | { readonly role: 'user'; readonly parts: readonly SaidPart[] }
  | { readonly role: Exclude<Role, 'user'>; readonly parts: readonly Part[] }
)

/** Appends a complete message to its branch and emits its event. */
export function appendMessage(change: Change, newId: NewId, scope: EventScope, message: NewMessage): Message {
  const full: Message = {
    id: newId('msg'),
    position: change.nextPosition(message.branchId),
    state: 'complete',
    usage: null,
    createdAt: change.at,
    ...message,
  }
  insertMessage(change, scope, full)
  emitMessageCompleted(change, scope, full, 'complete')
  return full
}

/** Writes a message row with the parts it has so far. */
export function insertMessage(change: Change, scope: EventScope, message: Message): void {
  const { parts, ...row } = message
  const conversationId = scope.conversationId
  change.tx.insert('messages', { ...row, conversationId })
  change.event({
    type: 'message.appended',
    ...scope,
    messageId: row.id,
    role: row.role,
    position: row.position,
    writerRunId: row.runId,
  })
  parts.forEach((part, position) =>
    insertPart(change, conversationId, { messageId: message.id, position, part }),
  )
  for (const part of parts) emitPart(change, scope, row.id, part)
}

export function emitPart(change: Change, scope: EventScope, messageId: Message['id'], part: Part): void {
  change.event({
    type: 'part.completed',
    ...scope,
    messageId,
    partId: part.id,
    kind: part.type,
    part: { ...part },
  })
}

interface CompletedMessage extends Pick<Message, 'id' | 'role' | 'position'> {
  /** How an answer ended. */
  readonly finishReason?: FinishReason
}

export function emitMessageCompleted(
  change: Change,
  scope: EventScope,
  { id: messageId, role, position, finishReason }: CompletedMessage,
  state: Exclude<MessageState, 'streaming'>,
): void {
  const ended = finishReason && { finishReason }
  change.event({ type: 'message.completed', ...scope, messageId, role, position, state, ...ended })
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
