import { isAbsolute } from 'node:path'
import { sleep } from '../core/clock.ts'
import type { Conversation } from '../core/conversation.ts'
import type { ConversationId } from '../core/ids.ts'
import { bounds } from '../core/limits.ts'
import type { StoredRun } from '../core/run.ts'
import { isStopped } from '../core/run-status.ts'
import { addCost } from '../core/usage.ts'
import { namedModel } from '../library/named-model.ts'
import type { ConversationItem } from '../protocol/conversation.ts'
import { UNTITLED } from '../runtime/conversation/open-conversation.ts'
import { leftBelow } from '../runtime/views/left-below.ts'
import { snapshotOf } from '../runtime/views/snapshot.ts'
import { openAsks } from './approval-handlers.ts'
import { sendToBranch } from './branch-handlers.ts'
import { perform, type Handlers, type ServerContext } from './route-handler.ts'
import { Problem } from './problem.ts'
import { editedText } from './masked-answer.ts'
import { isDriven } from './left-behind.ts'
import { maskPartial, partialsOf } from './stored-partials.ts'

export const conversationHandlers: Handlers<
  | 'listConversations'
  | 'createConversation'
  | 'getSnapshot'
  | 'updateConversation'
  | 'deleteConversation'
  | 'pauseConversation'
  | 'interruptConversation'
  | 'cancelConversation'
  | 'closeConversation'
> = {
  listConversations(context, { input: { directory } }) {
    const { store } = context
    const where = directory === undefined ? {} : { directory }
    const found = store.find('conversations', { where, orderBy: 'updatedAt', descending: true })
    const asks = Map.groupBy(openAsks(store), ({ conversationId }) => conversationId)
    return found.map((each) => item(context, each, asks.get(each.id)?.length ?? 0))
  },

  async createConversation(context, { input, author }) {
    const { directory = context.directory, mode, title, text, agent: name = 'main', model } = input
    if (!isAbsolute(directory)) throw new Problem(422, 'invalid', 'directory: expected an absolute path')
    const directoryRuntime = await context.directoryRuntimes.at(directory, mode)
    const { runtime, agents, workspace } = directoryRuntime.composed
    const agent = agents.require(name).name
    if (model !== undefined) await namedModel(directoryRuntime.composed, model)
    const { conversation, branch } = await runtime.create({
      workspace,
      agent,
      title: title ?? text ?? UNTITLED,
    })
    const ids = { conversationId: conversation.id, branchId: branch.id }
    if (mode) context.directoryRuntimes.keepMode(conversation.id, mode)
    if (text === undefined) return { ...ids, runId: null }
    const order = { ...input, text, author, mode: 'follow_up' } as const
    const { runId } = await sendToBranch(context, branch, order).catch(async (error: unknown) => {
      await remove(context, conversation.id) // it has no messages
      throw error
    })
    return { ...ids, runId }
  },

  async getSnapshot(context, { row }) {
    const directoryRuntime = await context.directoryRuntimes.of(row.id)
    context.hub.topic(row.id, directoryRuntime) // later streaming text arrives as events
    const { loaded } = directoryRuntime.composed
    return snapshotOf(context.store, context.store.get('conversations', row.id) ?? row, {
      maxConcurrent: loaded.config.limits.maxConcurrent,
      owner: directoryRuntime.composed.ownership?.livingOwner(row.id),
      mine: directoryRuntime.drives(row.id),
      sandbox: (await directoryRuntime.composed.confinementOf(row.id)?.force()) ?? 'off',
      streaming: partialsOf(context.store, directoryRuntime, row.id).map((each) =>
        maskPartial(each, context.secrets),
      ),
    })
  },

  async updateConversation(context, { row, input }) {
    const title = editedText(context, input.title, row.title)
    await perform(context, row.id, { verb: 'rename', target: row.id, args: { title } })
    const { store } = context
    return item(context, store.get('conversations', row.id)!, openAsks(store, row.id).length)
  },

  async deleteConversation(context, { row: { id } }) {
    const allowStarts = context.directoryRuntimes.refuseStarts(id)
    try {
      for (let tries = 1; ; tries++) {
        await cancel(context, id)
        await untilLetGo(context, id)
        if (await remove(context, id)) return { id }
        if (tries === TRIES)
          throw new Problem(409, 'conflict', `${id} does not stop: it keeps getting messages`)
      }
    } finally {
      allowStarts()
    }
  },

  pauseConversation: (context, { row: { id } }) =>
    perform(context, id, { verb: 'pause', target: id, args: null }),

  async interruptConversation(context, { row }) {
    const { store } = context
    const open = (): StoredRun[] =>
      store.find('runs', { where: { conversationId: row.id } }).filter(({ status }) => !isStopped(status))
    const before = open().length
    const answer = await perform(context, row.id, { verb: 'interrupt', target: row.id, args: null })
    return { ...answer, runs: Math.max(1, before - open().length) }
  },

  cancelConversation: (context, { row }) => cancel(context, row.id),

  async closeConversation(context, { row }) {
    const { runs } = await cancel(context, row.id)
    return { runs }
  },
}

function cancel(context: ServerContext, id: ConversationId) {
  return perform(context, id, { verb: 'cancel', target: id, args: null })
}

/** New work may start between a cancel and the delete, but not forever. */
const TRIES = 5
/** For a process that has just ended its work. */
const LET_GO_MS = 2_000

/** Another driving process reads the new state before it exits. @throws Problem 409 */
async function untilLetGo({ clock, directoryRuntimes }: ServerContext, id: ConversationId): Promise<void> {
  const directoryRuntime = await directoryRuntimes.of(id)
  const end = clock.now() + LET_GO_MS
  for (;;) {
    const owner = directoryRuntime.drives(id)
      ? undefined
      : directoryRuntime.composed.ownership?.livingOwner(id)
    if (!owner) return
    if (clock.now() >= end)
      throw new Problem(409, 'conflict', `${id} is still driven by process ${owner.pid}`)
    await sleep(clock, bounds.watchMs)
  }
}

/** False if work is active: read in the deleting transaction, so that nothing starts in between. */
async function remove({ store, hub }: ServerContext, id: ConversationId): Promise<boolean> {
  const isRemoved = await store.tx(
    (tx) => {
      const runs = tx.find('runs', { where: { conversationId: id } })
      if (runs.some(({ status }) => !isStopped(status))) return false
      tx.delete('conversations', id)
      return true
    },
    { durable: true },
  )
  if (isRemoved) hub.forget(id)
  return isRemoved
}

function item(context: ServerContext, conversation: Conversation, asks: number): ConversationItem {
  const { store } = context
  const { budget: _, mode: _mode, number: _number, sandbox: _sandbox, ...about } = conversation
  const conversationId = conversation.id
  const main = store.find('branches', { where: { conversationId, kind: 'main' }, limit: 1 })[0]
  const runs = store.find('runs', { where: { conversationId }, orderBy: 'id' })
  const last = runs.findLast(({ branchId }) => branchId === main?.id)
  return {
    ...about,
    status: last?.status ?? null,
    reason: last?.reason ?? null,
    left: leftBelow(store, last, (id) => isDriven(context, id)),
    needsYou: asks,
    running: runs.filter(({ status }) => status === 'running' || status === 'waiting').length,
    costUsd: runs.map(({ costUsd }) => costUsd).reduce(addCost, 0),
  }
}
