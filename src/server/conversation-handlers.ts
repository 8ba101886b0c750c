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
import { snapshotOf } from '../runtime/views/snapshot.ts'
import { openAsks } from './approval-handlers.ts'
import { sendToBranch } from './branch-handlers.ts'
import { perform, type Handlers, type House } from './route-handler.ts'
import { Problem } from './problem.ts'
import { editedText } from './masked-answer.ts'
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
  listConversations({ store }, { input: { directory } }) {
    const where = directory === undefined ? {} : { directory }
    const found = store.find('conversations', { where, orderBy: 'updatedAt', descending: true })
    const asks = Map.groupBy(openAsks(store), ({ conversationId }) => conversationId)
    return found.map((each) => item(store, each, asks.get(each.id)?.length ?? 0))
  },

  async createConversation(house, { input }) {
    const { directory = house.directory, mode, title, text, agent: name = 'main', model } = input
    if (!isAbsolute(directory)) throw new Problem(422, 'invalid', 'directory: expected an absolute path')
    const workplace = await house.workplaces.at(directory, mode)
    const { runtime, agents, workspace } = workplace.composed
    const agent = agents.require(name).name
    if (model !== undefined) await namedModel(workplace.composed, model)
    const { conversation, branch } = await runtime.create({ workspace, agent, title: title ?? text ?? 'new' })
    const ids = { conversationId: conversation.id, branchId: branch.id }
    if (mode) house.workplaces.keepMode(conversation.id, mode)
    if (text === undefined) return { ...ids, runId: null }
    const order = { ...input, text, mode: 'follow_up' } as const
    const { runId } = await sendToBranch(house, branch, order).catch(async (error: unknown) => {
      await remove(house, conversation.id) // nothing was said in it
      throw error
    })
    return { ...ids, runId }
  },

  async getSnapshot(house, { row }) {
    const workplace = await house.workplaces.of(row.id)
    house.hub.topic(row.id, workplace) // what is streamed from here on is told
    const { loaded } = workplace.composed
    return snapshotOf(house.store, house.store.get('conversations', row.id) ?? row, {
      maxConcurrent: loaded.config.limits.maxConcurrent,
      owner: workplace.composed.ownership?.livingOwner(row.id),
      mine: workplace.drives(row.id),
      streaming: partialsOf(house.store, workplace, row.id).map((each) => maskPartial(each, house.secrets)),
    })
  },

  async updateConversation(house, { row, input }) {
    const title = editedText(house, input.title, row.title)
    await perform(house, row.id, { verb: 'rename', target: row.id, args: { title } })
    const { store } = house
    return item(store, store.get('conversations', row.id)!, openAsks(store, row.id).length)
  },

  async deleteConversation(house, { row: { id } }) {
    for (let tries = 1; ; tries++) {
      await cancel(house, id)
      await untilLetGo(house, id)
      if (await remove(house, id)) return { id }
      if (tries === TRIES)
        throw new Problem(409, 'conflict', `${id} does not stop: it is spoken to all the time`)
    }
  },

  pauseConversation: (house, { row: { id } }) =>
    perform(house, id, { verb: 'pause', target: id, args: null }),

  async interruptConversation(house, { row }) {
    const { store } = house
    const open = (): StoredRun[] =>
      store.find('runs', { where: { conversationId: row.id } }).filter(({ status }) => !isStopped(status))
    const before = open().length
    const answer = await perform(house, row.id, { verb: 'interrupt', target: row.id, args: null })
    return { ...answer, runs: Math.max(1, before - open().length) }
  },

  cancelConversation: (house, { row }) => cancel(house, row.id),

  async closeConversation(house, { row }) {
    const { runs } = await cancel(house, row.id)
    return { runs }
  },
}

function cancel(house: House, id: ConversationId) {
  return perform(house, id, { verb: 'cancel', target: id, args: null })
}

/** Something may begin between a cancel and the delete, but not for ever. */
const TRIES = 5
/** For a process that has just ended what it drove. */
const LET_GO_MS = 2_000

/** Another process that drove it reads what has become of it before it ends. @throws Problem 409 */
async function untilLetGo({ clock, workplaces }: House, id: ConversationId): Promise<void> {
  const workplace = await workplaces.of(id)
  const end = clock.now() + LET_GO_MS
  for (;;) {
    const owner = workplace.drives(id) ? undefined : workplace.composed.ownership?.livingOwner(id)
    if (!owner) return
    if (clock.now() >= end)
      throw new Problem(409, 'conflict', `${id} is still driven by process ${owner.pid}`)
    await sleep(clock, bounds.watchMs)
  }
}

/** False where something goes on: read in the transaction that deletes, so that nothing begins in between. */
async function remove({ store, hub }: House, id: ConversationId): Promise<boolean> {
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

function item(store: House['store'], conversation: Conversation, asks: number): ConversationItem {
  const { budget: _, mode: _mode, ...about } = conversation
  const conversationId = conversation.id
  const main = store.find('branches', { where: { conversationId, kind: 'main' }, limit: 1 })[0]
  const runs = store.find('runs', { where: { conversationId }, orderBy: 'id' })
  const last = runs.findLast(({ branchId }) => branchId === main?.id)
  return {
    ...about,
    status: last?.status ?? null,
    reason: last?.reason ?? null,
    needsYou: asks,
    running: runs.filter(({ status }) => status === 'running' || status === 'waiting').length,
    costUsd: runs.map(({ costUsd }) => costUsd).reduce(addCost, 0),
  }
}
