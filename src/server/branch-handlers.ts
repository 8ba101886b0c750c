import type { z } from 'zod'
import type { Author } from '../core/message.ts'
import type { Branch } from '../core/conversation.ts'
import type { RouteAnswer } from '../protocol/route-schemas.ts'
import type { sendMessage } from '../protocol/conversation.ts'
import { waitingItems } from '../runtime/run/inbox.ts'
import { messagePageOf } from '../runtime/views/message-page.ts'
import { namedModel } from '../library/named-model.ts'
import type { SentMessage } from '../runtime/control/send-message.ts'
import { branchRow, inboxItem } from '../runtime/views/snapshot.ts'
import { performer, type Handlers, type ServerContext } from './route-handler.ts'
import { Problem } from './problem.ts'
import { rowsOf } from './run-rows.ts'
import type { DirectoryRuntime } from './directory-runtimes.ts'

export const branchHandlers: Handlers<
  | 'getBranch'
  | 'listMessages'
  | 'sendMessage'
  | 'spawnOnBranch'
  | 'continueBranch'
  | 'pauseBranch'
  | 'interruptBranch'
  | 'cancelBranch'
  | 'steerBranch'
  | 'listInbox'
  | 'clearInbox'
> = {
  getBranch(context, { row }) {
    const { store } = context
    const last = { orderBy: 'id', descending: true, limit: 1 } as const
    const latest = store.find('runs', { where: { branchId: row.id }, ...last })[0]
    const [run = null] = latest ? rowsOf(context, row.conversationId, ({ id }) => id === latest.id) : []
    return { branch: branchRow(row), run, messages: store.count('messages', { branchId: row.id }) }
  },

  listMessages({ store }, { row, input: { before, upTo, limit } }) {
    const last = upTo === undefined ? undefined : store.get('messages', upTo)
    if (upTo !== undefined && last?.branchId !== row.id)
      throw new Problem(422, 'invalid', `upTo: there is no ${upTo} on ${row.id}`)
    const bounds = [before, last && last.position + 1].filter((each) => each !== undefined)
    return messagePageOf(store, row, { limit, before: bounds.length > 0 ? Math.min(...bounds) : undefined })
  },

  async sendMessage(context, { row, input, author }) {
    const { itemId, runId } = await sendToBranch(context, row, { ...input, author })
    return { itemId, runId }
  },

  async spawnOnBranch({ directoryRuntimes }, { row, input, author }) {
    if (row.kind !== 'main')
      throw new Problem(
        409,
        'conflict',
        'a person can start subagents only below the main branch',
        'use that branch',
      )
    const { task, agent, model, ...order } = input
    const { conversationId } = row
    const directoryRuntime = await directoryRuntimes.ofPresentDirectory(conversationId)
    const { composed } = directoryRuntime
    const { runtime, agents } = composed
    const named = model === undefined ? {} : { model: await namedModel(composed, model) }
    const definition = agents.require(agent)
    const args = { task, agent, ...order, ...named, author }
    const { here, there } = await runtime.startOrDispatch(
      conversationId,
      { verb: 'spawn', target: conversationId, args },
      () =>
        runtime.spawn({
          ...composed,
          ...order,
          ...named,
          task,
          author,
          agent: definition,
          conversationId,
          background: true,
          defaultModel: () => namedModel(composed),
        }),
    )
    if (here) directoryRuntime.drive(here)
    const { branchId, runId } = here ?? there
    return { branchId, runId }
  },

  continueBranch: async ({ directoryRuntimes }, { row, input, author }) =>
    await goOn(await directoryRuntimes.ofPresentDirectory(row.conversationId), row.conversationId, row.id, {
      ...input,
      author,
    }),

  pauseBranch: performer('pause'),

  interruptBranch: performer('interrupt'),

  cancelBranch: performer('cancel'),

  steerBranch: performer('steer'),

  listInbox: ({ store }, { row }) => waitingItems(store, row.id).map(inboxItem),

  clearInbox: performer('inbox.clear'),
}

type Message = z.output<typeof sendMessage> & {
  readonly agent?: string | undefined
  readonly author: Author
}

/** A person's message for a branch, with attached files. */
export async function sendToBranch(
  { directoryRuntimes }: ServerContext,
  branch: Branch,
  message: Message,
): Promise<SentMessage> {
  const { text, author, mode, files = [], model, agent, maxTurns, wake, budgetUsd } = message
  const directoryRuntime = await directoryRuntimes.ofPresentDirectory(branch.conversationId)
  const { composed } = directoryRuntime
  const named = model === undefined ? {} : { model: await namedModel(composed, model) }
  const sent = await composed.runtime.sendMessage({
    ...composed,
    ...named,
    conversationId: branch.conversationId,
    branchId: branch.id,
    text: withFiles(text, files),
    author,
    mode,
    ...(branch.kind === 'main' ? { agent } : {}),
    maxTurns,
    wake,
    budgetUsd,
    defaultModel: () => namedModel(composed),
  })
  if (sent.started) directoryRuntime.drive(sent.started)
  return sent
}

/** Continues the latest run of the target. */
export async function goOn(
  directoryRuntime: DirectoryRuntime,
  conversationId: Branch['conversationId'],
  target: string,
  order: {
    readonly text?: string | undefined
    readonly author: Author
    readonly model?: string | undefined
    readonly maxTurns?: number | undefined
    readonly budgetUsd?: number | undefined
    readonly wake?: boolean | undefined
  },
): Promise<RouteAnswer<'continueRun'>> {
  const { runtime, store } = directoryRuntime.composed
  const { started, outcome, branchId, runId } = await runtime.continue({
    ...directoryRuntime.composed,
    ...order,
    text: order.text,
    maxTurns: order.maxTurns,
    conversationId,
    target,
  })
  if (started) directoryRuntime.drive(started)
  return { outcome, branchId, runId, status: store.get('runs', runId)!.status }
}

type Files = NonNullable<Message['files']>

/** Puts each text under its file name below the message. @throws Problem 422 for a file that is not text. */
function withFiles(text: string, files: Files): string {
  const blocks = files.map(({ mediaType, data, filename = 'file' }, i) => {
    if (!/^(text\/|application\/(json|xml|yaml|javascript|x-sh))/.test(mediaType))
      throw new Problem(422, 'invalid', `files.${i}: ${mediaType} is not accepted; only text files are`)
    const name = filename.replace(/[^\w. ()/-]+/g, '_')
    return `--- ${name} ---\n${Buffer.from(data, 'base64').toString('utf8')}`
  })
  return [text, ...blocks].join('\n\n')
}
