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

/** All conversations of the store, of any directory. Unknown ids are refused with `not_found`. */
export interface ConversationsApi {
  /** Most recently changed first. */
  list(): Promise<readonly Conversation[]>
  get(id: string): Promise<Conversation & { readonly branches: readonly Branch[] }>
  /** The whole conversation as one document (docs/export.md). */
  export(id: string): Promise<ExportDocument>
  /** Cancels everything in it and keeps its messages; returns the number of cancelled runs. */
  close(id: string): Promise<{ readonly runs: number }>
  /** Closes it, then deletes it with all its contents. */
  delete(id: string): Promise<void>
}

export interface BranchesApi {
  get(id: string): Promise<Branch>
  /** Its messages, oldest first; for a fork, only its own. */
  messages(id: string): Promise<readonly Message[]>
  /** Creates a branch that sees everything up to a message. It has no run; `continue` starts one. */
  fork(messageId: string): Promise<{ readonly branchId: BranchId }>
}

export interface RunsApi {
  /** Active runs first, then the newest. By default only runs that are not final; with `all`, every run. */
  list(options?: ListRunsOptions): Promise<readonly ListedRun[]>
  get(id: string): Promise<ListedRun>
}

export interface ListRunsOptions {
  /** Includes finished runs. */
  readonly all?: boolean | undefined
  readonly conversationId?: string | undefined
}

/** A snapshot of a run, with its verbs. */
export type ListedRun = Omit<RunListing, 'background'> &
  OffshootRun & {
    /** Whether no caller waits for it. */
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
