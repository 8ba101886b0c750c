import type { Branch, Conversation } from '../../core/conversation.ts'
import { cutText } from '../../core/cut-text.ts'
import { OffshootError } from '../../core/errors.ts'
import type { ConversationId } from '../../core/ids.ts'
import type { Workspace } from '../../tools/port.ts'
import type { Deps } from '../context/deps.ts'
import type { EventScope } from '../run/messages.ts'
import { nextConversationNumber } from '../log/new-number.ts'
import type { Change } from '../log/recorder.ts'
import { emitBranchCreated } from '../delegation/spawn-child.ts'

/** A conversation and its main branch: stored rows, or rows to be written. */
export interface Opened {
  readonly conversation: Conversation
  readonly branch: Branch
}

/** @throws OffshootError `not_found`; `usage` for one in another directory. */
export function openConversation(
  { store }: Pick<Deps, 'store'>,
  id: ConversationId,
  workspace: Workspace,
): Opened {
  const conversation = store.get('conversations', id)
  const branch = store.find('branches', { where: { conversationId: id, kind: 'main' }, limit: 1 })[0]
  if (!conversation || !branch)
    throw new OffshootError('not_found', `there is no conversation ${id}`, { hint: 'offshoot ls lists them' })
  if (conversation.directory !== workspace.root)
    throw new OffshootError('usage', `${id} works on ${conversation.directory}, not on ${workspace.root}`, {
      hint: `run it there: -C ${conversation.directory}`,
    })
  return { conversation, branch }
}

/** Length of generated titles; given ones may be longer. */
export const TITLE_CHARS = 80

/** The title of an empty conversation without a given title. */
export const UNTITLED = 'new'

/** The first line of the first message. */
export function titleOf(said: string): string {
  return cutText(said.trim().split('\n', 1)[0]!, TITLE_CHARS)
}

/** An unwritten conversation, named after its first message. */
export function newConversation(
  { clock, newId }: Pick<Deps, 'clock' | 'newId'>,
  workspace: Workspace,
  said: string,
  agent: string,
): Opened {
  const createdAt = clock.now()
  const times = { createdAt, updatedAt: createdAt }
  const conversation = { id: newId('cnv'), directory: workspace.root, title: titleOf(said), ...times }
  const branch: Branch = {
    id: newId('brn'),
    conversationId: conversation.id,
    kind: 'main',
    inheritContext: false,
    parentBranchId: null,
    originMessageId: null,
    originToolCallId: null,
    agent,
    label: 'main',
    ...times,
  }
  return { conversation, branch }
}

/** Writes a new conversation with an empty main branch. */
export function writeConversation(change: Change, here: EventScope, { conversation, branch }: Opened): void {
  const { directory, title } = conversation
  change.tx.insert('conversations', { ...conversation, number: nextConversationNumber(change.tx) })
  change.tx.insert('branches', { ...branch, number: 0 })
  change.event({ type: 'conversation.created', ...here, branchId: null, runId: null, directory, title })
  emitBranchCreated(change, { ...here, runId: null }, branch)
}

/** Names an untitled conversation after its first message. */
export function nameAfter(change: Change, conversationId: ConversationId, said: string): void {
  const title = titleOf(said)
  if (title === '' || change.tx.get('conversations', conversationId)?.title !== UNTITLED) return
  change.tx.update('conversations', conversationId, { title })
  const nowhere = { branchId: null, runId: null, parentRunId: null, depth: 0 }
  change.event({ type: 'conversation.updated', at: change.at, conversationId, ...nowhere, title })
}
