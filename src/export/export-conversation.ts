import type { Branch } from '../core/conversation.ts'
import type { ConversationId, MessageId } from '../core/ids.ts'
import { textOf, type Part } from '../core/message.ts'
import { reportForPeople } from '../core/report/report-words.ts'
import type { ArtifactRow, MessageRow, Reader } from '../store/port.ts'
import { exportedRestrictions, metadataOf, type MetadataOf } from './branch-metadata.ts'
import { groupBy, readConversationRows, type ConversationRows } from './conversation-rows.ts'
import {
  EXPORT_VERSION,
  type ExportDocument,
  type ExportedArtifact,
  type ExportedBranch,
  type ExportedMain,
  type ExportedMessage,
} from './document.ts'
import { partInDocument } from './possible-figures.ts'
import { lastSeq } from '../runtime/log/stored-events.ts'

/**
 * The conversation as a document. Exports of equal rows are equal. If another process may be writing, call it in a
 * transaction (`store.tx`), because it makes many queries. @throws OffshootError `usage` for an unknown conversation.
 */
export function exportConversation(store: Reader, id: ConversationId): ExportDocument {
  const rows = readConversationRows(store, id)
  const [conversation] = rows.conversations
  const messages = exportedMessages(rows)
  const main = rows.branches.find((branch) => branch.kind === 'main')
  const metadata = metadataOf(rows)
  const mainMessages = own(messages, main)
  const branches = standBranches(rows, messages, main, metadata)
  const restrictions = exportedRestrictions(rows.rules.filter((rule) => rule.branchId === null))
  const artifacts = rows.artifacts.map(exportedArtifact)
  return {
    version: EXPORT_VERSION,
    id: conversation.id,
    title: conversation.title,
    directory: conversation.directory,
    created: conversation.createdAt,
    updated: conversation.updatedAt,
    seq: lastSeq(store, id),
    ...(main ? { main: branchHead(main, null, metadata(main, mainMessages)) } : {}),
    messages: mainMessages,
    ...(branches.length > 0 ? { branches } : {}),
    ...(restrictions ? { restrictions } : {}),
    ...(artifacts.length > 0 ? { artifacts } : {}),
  }
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }
type OpenMessage = Mutable<Omit<ExportedMessage, 'branches'>> & { branches?: ExportedBranch[] }

interface Messages {
  readonly byId: ReadonlyMap<MessageId, { readonly row: MessageRow; readonly message: OpenMessage }>
  readonly ofBranch: ReadonlyMap<Branch['id'], readonly MessageRow[]>
}

function exportedMessages(rows: ConversationRows): Messages {
  const parts = groupBy(rows.parts, (part) => part.messageId)
  const exported = (row: MessageRow): OpenMessage => {
    const inOrder = (parts.get(row.id) ?? []).toSorted((a, b) => a.position - b.position)
    const own = inOrder.map(({ part }) => partInDocument(part))
    return {
      id: row.id,
      role: row.role,
      content: contentOf(own),
      parts: own,
      created: row.createdAt,
      ...(row.usage ? { usage: row.usage } : {}),
      ...(row.state === 'complete' ? {} : { state: row.state }),
      ...(row.runId ? { runId: row.runId } : {}),
    }
  }
  return {
    byId: new Map(rows.messages.map((row) => [row.id, { row, message: exported(row) }])),
    ofBranch: groupBy(
      rows.messages.toSorted((a, b) => a.position - b.position),
      (row) => row.branchId,
    ),
  }
}

function own({ byId, ofBranch }: Messages, branch: Branch | undefined): OpenMessage[] {
  return (branch ? (ofBranch.get(branch.id) ?? []) : []).map((row) => byId.get(row.id)!.message)
}

/** Attaches each branch to its origin message; returns those without one. */
function standBranches(
  rows: ConversationRows,
  messages: Messages,
  main: Branch | undefined,
  metadata: MetadataOf,
): ExportedBranch[] {
  const loose: ExportedBranch[] = []
  for (const branch of rows.branches) {
    if (branch === main) continue
    const origin = branch.originMessageId ? messages.byId.get(branch.originMessageId) : undefined
    const inside = origin ? origin.row.branchId : (main?.id ?? null)
    const said = own(messages, branch)
    const exported = { ...branchHead(branch, inside, metadata(branch, said)), messages: said }
    if (origin) (origin.message.branches ??= []).push(exported)
    else loose.push(exported)
  }
  return loose
}

function branchHead(
  branch: Branch,
  inside: Branch['id'] | null,
  metadata: ExportedMain['metadata'],
): ExportedMain {
  const { id, kind, inheritContext, parentBranchId, originToolCallId, createdAt, updatedAt } = branch
  return {
    id,
    type: kind === 'fork' ? 'human' : kind,
    inheritContext,
    ...(parentBranchId === inside ? {} : { parentBranchId }),
    ...(originToolCallId ? { originToolCallId } : {}),
    created: createdAt,
    updated: updatedAt,
    metadata,
  }
}

function exportedArtifact({ id, hash, mediaType, size, content, createdAt }: ArtifactRow): ExportedArtifact {
  const data = Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('base64')
  return { id, hash, mediaType, size, data, created: createdAt }
}

/** The text, with reports as people read them. */
function contentOf(parts: readonly Part[]): string {
  const reports = parts.flatMap((part) => (part.type === 'report' ? [reportForPeople(part)] : []))
  return [textOf(parts), ...reports].filter((text) => text !== '').join('\n\n')
}
