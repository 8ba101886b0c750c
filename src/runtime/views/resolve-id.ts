import type { Branch, Conversation } from '../../core/conversation.ts'
import { OffshootError } from '../../core/errors.ts'
import { idPrefix } from '../../core/ids.ts'
import type { StoredRun } from '../../core/run.ts'
import type { Reader } from '../../store/port.ts'

/** The target of an id on the command line. */
export type ResolvedId =
  | { readonly type: 'conversation'; readonly conversation: Conversation }
  | { readonly type: 'branch'; readonly conversation: Conversation; readonly branch: Branch }
  | {
      readonly type: 'run'
      readonly conversation: Conversation
      readonly branch: Branch
      readonly run: StoredRun
    }

/** @throws OffshootError `not_found` for anything except the id of a stored conversation, branch or run. */
export function resolveId(store: Reader, id: string): ResolvedId {
  const found = lookUp(store, id)
  if (found) return found
  throw new OffshootError('not_found', `there is no ${kindOf(id)} ${id}`, {
    hint: 'offshoot ls lists the conversations, offshoot show ID the branches of one',
  })
}

const KINDS: Readonly<Record<string, string>> = { cnv: 'conversation', brn: 'branch', run: 'run' }

/** By prefix, even for an invalid id. */
function kindOf(id: string): string {
  return KINDS[id.slice(0, 3)] ?? (/^[a-z]{3}_/.test(id) ? 'conversation, branch or run' : 'conversation')
}

/** @throws OffshootError `not_found`; `usage` for another kind of id. */
export function findConversation(store: Reader, id: string): Conversation {
  const found = lookUp(store, id)
  if (found?.type === 'conversation') return found.conversation
  const what = found
    ? `${id} is a ${found.type} of ${found.conversation.id}`
    : `there is no conversation ${id}`
  throw new OffshootError(found ? 'usage' : 'not_found', what, {
    hint: 'offshoot ls lists the conversations',
  })
}

function lookUp(store: Reader, id: string): ResolvedId | undefined {
  switch (idPrefix(id)) {
    case 'cnv': {
      const conversation = store.get('conversations', id)
      return conversation && { type: 'conversation', conversation }
    }
    case 'brn': {
      const branch = store.get('branches', id)
      return branch && { type: 'branch', branch, conversation: conversationOf(store, branch) }
    }
    case 'run': {
      const run = store.get('runs', id)
      if (!run) return undefined
      const branch = store.get('branches', run.branchId)!
      return { type: 'run', run, branch, conversation: conversationOf(store, run) }
    }
    default:
      return undefined
  }
}

function conversationOf(store: Reader, { conversationId }: Branch | StoredRun): Conversation {
  return store.get('conversations', conversationId)!
}
