import type { Branch, Conversation } from '../core/conversation.ts'
import { idPrefix, type ConversationId, type IdPrefix } from '../core/ids.ts'
import type { Message } from '../core/message.ts'
import type { Approval, Question, StoredRun } from '../core/run.ts'
import type { InboxItem } from '../runtime/views/snapshot.ts'
import { Problem } from './problem.ts'
import type { Store } from './directory-runtimes.ts'

/** Tables by the first segment of a path. */
interface Rows {
  conversations: Conversation
  branches: Branch
  messages: Omit<Message, 'parts'> & { readonly conversationId: ConversationId }
  runs: StoredRun
  approvals: Approval
  questions: Question
  inbox: InboxItem & { readonly deliveredAt: number | null; readonly withdrawnAt: number | null }
  artifacts: Artifact
}

interface Artifact {
  readonly conversationId: ConversationId
  readonly mediaType: string
  readonly content: Uint8Array
}

export type Collection = keyof Rows
export type RequiredRow<C extends Collection> = Rows[C]

const PREFIXES: { readonly [C in Collection]: IdPrefix } = {
  conversations: 'cnv',
  branches: 'brn',
  messages: 'msg',
  runs: 'run',
  approvals: 'apr',
  questions: 'que',
  inbox: 'inb',
  artifacts: 'art',
}

export function isCollection(name: string | undefined): name is Collection {
  return name !== undefined && Object.hasOwn(PREFIXES, name)
}

/** @throws Problem 404 */
export function requireRow<C extends Collection>(store: Store, collection: C, id: string): RequiredRow<C> {
  const known = idPrefix(id) === PREFIXES[collection] ? store.get(collection, id) : undefined
  if (known) return known as unknown as RequiredRow<C>
  throw new Problem(404, 'not_found', `${id.slice(0, 100)} was not found in ${collection}`)
}
