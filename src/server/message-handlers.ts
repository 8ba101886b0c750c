import type { Branch } from '../core/conversation.ts'
import type { MessageId } from '../core/ids.ts'
import { authorOfMessage, textOf, type Author, type Message, type Part } from '../core/message.ts'
import type { RouteAnswer } from '../protocol/route-schemas.ts'
import { readMessages } from '../runtime/run/messages.ts'
import { namedModel } from '../library/named-model.ts'
import { perform, type Exchange, type Handlers, type ServerContext } from './route-handler.ts'
import { editedText } from './masked-answer.ts'
import { Problem } from './problem.ts'
import type { Store } from './directory-runtimes.ts'

type MessageRow = Exchange<'forkMessage'>['row']

export const messageHandlers: Handlers<'forkMessage' | 'editMessage' | 'regenerateMessage'> = {
  async forkMessage(context, { row, input, author }) {
    const { text } = input
    if (text !== undefined) return await fork(context, row, { ...input, text, author })
    return await perform(context, row.conversationId, { verb: 'fork', target: row.id, args: null })
  },

  editMessage(context, { row, input, author: editor }) {
    if (row.role !== 'user')
      throw new Problem(
        409,
        'conflict',
        `only messages of a person can be edited; the role of this one is ${row.role}`,
      )
    const parts = partsOf(context.store, row)
    const author = authorOfMessage({ parts, runId: row.runId }) ?? null
    if (author !== 'person')
      throw new Problem(409, 'conflict', 'only messages of a person can be edited; no person wrote this one')
    const text = editedText(context, input.text, textOf(parts))
    return fork(context, before(context.store, row), { ...input, text, author: editor })
  },

  /** The same message again with its author: earlier answers stay on their branch. */
  regenerateMessage(context, { row, input, author: sender }) {
    const said = lastUserMessage(context.store, row)
    return fork(context, before(context.store, said.row), {
      ...input,
      text: said.text,
      author: said.author ?? sender,
    })
  },
}

interface ForkOrder {
  readonly text: string
  readonly author: Author
  readonly model?: string | undefined
  readonly maxTurns?: number | undefined
  readonly budgetUsd?: number | undefined
}

async function fork(
  context: ServerContext,
  at: MessageRow,
  order: ForkOrder,
): Promise<RouteAnswer<'forkMessage'>> {
  const { text, author, model, maxTurns, budgetUsd } = order
  const directoryRuntime = await context.directoryRuntimes.ofPresentDirectory(at.conversationId)
  const { composed } = directoryRuntime
  const named = model === undefined ? {} : { model: await namedModel(composed, model) }
  const { runtime } = composed
  const command = {
    verb: 'fork',
    target: at.id,
    args: { text, author, maxTurns, budgetUsd, ...named },
  } as const
  const { here, there } = await runtime.startOrDispatch(at.conversationId, command, () =>
    runtime.fork({
      ...composed,
      ...named,
      messageId: at.id,
      text,
      author,
      maxTurns,
      budgetUsd,
      defaultModel: () => namedModel(composed),
    }),
  )
  if (here) directoryRuntime.drive(here)
  const { branchId, runId } = here ?? there
  return { branchId, ...(runId ? { runId } : {}) }
}

/** The message before one in its context: a new fork sees everything up to it. */
function before(store: Store, row: MessageRow): MessageRow {
  const last = { orderBy: 'position', descending: true, limit: 1 } as const
  const above = store.find('messages', {
    where: { branchId: row.branchId },
    before: row.position,
    ...last,
  })[0]
  const origin = store.get('branches', row.branchId)?.originMessageId
  const found = above ?? (origin ? store.get('messages', origin) : undefined)
  if (found) return found
  throw new Problem(409, 'conflict', 'there is nothing before this message')
}

function partsOf(store: Store, { id: messageId }: MessageRow): readonly Part[] {
  return store.find('parts', { where: { messageId }, orderBy: 'position' }).map(({ part }) => part)
}

interface SaidBefore {
  readonly row: MessageRow
  readonly text: string
  /** Absent or null: no record was kept. */
  readonly author: Author | null | undefined
}

/** The last message of a person up to a message, or of the agent that started the subagent. */
function lastUserMessage(store: Store, row: MessageRow): SaidBefore {
  let branch: Branch | undefined = store.get('branches', row.branchId)
  for (let upTo: MessageId | undefined = row.id; branch && upTo;) {
    const messages = readMessages(store, branch.id)
    const end = messages.findIndex(({ id }) => id === upTo)
    const said = messages
      .slice(0, end + 1)
      .findLast((message) => message.role === 'user' && message.state === 'complete' && isSaid(message))
    if (said)
      return { row: store.get('messages', said.id)!, text: textOf(said.parts), author: authorOfMessage(said) }
    upTo = branch.inheritContext ? (branch.originMessageId ?? undefined) : undefined
    branch = branch.parentBranchId ? store.get('branches', branch.parentBranchId) : undefined
  }
  throw new Problem(409, 'conflict', 'there is no message of a person before this one')
}

/** Excludes runtime messages and reports: nobody can send those again. */
function isSaid(message: Message): boolean {
  const author = authorOfMessage(message)
  return author !== undefined && author !== 'runtime'
}
