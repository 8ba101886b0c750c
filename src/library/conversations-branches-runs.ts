import { z } from 'zod'
import type { Branch, Conversation } from '../core/conversation.ts'
import { OffshootError } from '../core/errors.ts'
import { isId, type BranchId, type ConversationId } from '../core/ids.ts'
import type { Message } from '../core/message.ts'
import type { ExportDocument } from '../export/document.ts'
import { maskDocument } from '../export/mask-document.ts'
import { exportConversation } from '../export/export-conversation.ts'
import { listRuns, runListing, type RunListing } from '../runtime/views/list-runs.ts'
import { readMessages } from '../runtime/run/messages.ts'
import { findConversation } from '../runtime/views/resolve-id.ts'
import type { LibrarySession } from './library-session.ts'
import { withCallHints } from './call-hint.ts'
import { checkOptions, checkText } from './check-options.ts'
import type { OffshootRun } from './run.ts'

/** All of the store, whatever directory they are about. Unknown ids are refused with `not_found`. */
export interface ConversationsApi {
  /** The one that changed last first. */
  list(): Promise<readonly Conversation[]>
  get(id: string): Promise<Conversation & { readonly branches: readonly Branch[] }>
  /** The whole conversation as one document (docs/export.md). */
  export(id: string): Promise<ExportDocument>
  /** Ends everything in it and keeps what was said; how many runs it ended. */
  close(id: string): Promise<{ readonly runs: number }>
  /** Closes it and deletes it with everything in it. */
  delete(id: string): Promise<void>
}

export interface BranchesApi {
  get(id: string): Promise<Branch>
  /** What was said on it, oldest first; a fork's own messages only. */
  messages(id: string): Promise<readonly Message[]>
  /** A branch that sees everything up to a message, still without a run: `continue` begins one. */
  fork(messageId: string): Promise<{ readonly branchId: BranchId }>
}

export interface RunsApi {
  /** Running first, then the newest: those that have not ended, or all. */
  list(options?: ListRunsOptions): Promise<readonly ListedRun[]>
  get(id: string): Promise<ListedRun>
}

export interface ListRunsOptions {
  /** Those that have ended too. */
  readonly all?: boolean | undefined
  readonly conversationId?: string | undefined
}

/** A run as it was when it was asked for, and what can be done to it. */
export type ListedRun = Omit<RunListing, 'background'> &
  OffshootRun & {
    /** Whether nobody waits for it. */
    readonly inBackground: boolean
  }

export function openConversations(session: LibrarySession): ConversationsApi {
  const { store, secrets } = session.composed
  const find = (id: string) => {
    session.checkOpen()
    return withCallHints(() => findConversation(store, checkText(id, 'id')))
  }
  const close = async (id: string) => {
    const { id: target } = find(id)
    const { runs } = await session.perform({ verb: 'cancel', target, args: null })
    return { runs }
  }
  return {
    async list() {
      session.checkOpen()
      return store.find('conversations', { orderBy: 'updatedAt', descending: true })
    },
    async get(id) {
      const conversation = find(id)
      const where = { conversationId: conversation.id }
      return { ...conversation, branches: store.find('branches', { where, orderBy: 'id' }) }
    },
    export: async (id) => maskDocument(exportConversation(store, find(id).id), secrets),
    close,
    async delete(id) {
      await close(id)
      await session.call(() =>
        store.tx((tx) => void tx.delete('conversations', findConversation(tx, id).id), { durable: true }),
      )
    },
  }
}

export function openBranches(session: LibrarySession): BranchesApi {
  const { store } = session.composed
  const find = (id: string): Branch => {
    session.checkOpen()
    const known = isId('brn', checkText(id, 'id')) ? store.get('branches', id) : undefined
    if (known) return known
    throw new OffshootError('not_found', `there is no branch ${id.slice(0, 100)}`, {
      hint: 'conversations.get(id) lists the branches of a conversation',
    })
  }
  return {
    get: async (id) => find(id),
    messages: async (id) => readMessages(store, find(id).id),
    fork: (target) => session.perform({ verb: 'fork', target, args: null }),
  }
}

const listSchema = z.strictObject({ all: z.boolean().default(false), conversationId: z.string().optional() })

export function openRuns(session: LibrarySession): RunsApi {
  const { store } = session.composed
  const isDriven = (id: ConversationId) => session.isDriven(id)
  const listed = ({ background: inBackground, ...listing }: RunListing): ListedRun => ({
    ...listing,
    inBackground,
    ...session.runOf(listing.id),
  })
  return {
    async list(options) {
      const { all, conversationId } = checkOptions(listSchema, options ?? {}, 'runs.list')
      session.checkOpen()
      const wanted = conversationId === undefined ? undefined : session.conversationOf(conversationId)
      const runs = listRuns(store, { all, isDriven })
      return runs.filter((run) => !wanted || run.conversationId === wanted).map(listed)
    },
    async get(id) {
      const { id: known } = session.runOf(id)
      return listed(runListing(store, known, { isDriven }))
    },
  }
}
