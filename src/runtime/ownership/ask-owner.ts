import { sleep, type Clock } from '../../core/clock.ts'
import { OffshootError } from '../../core/errors.ts'
import type { ConversationId, NewId } from '../../core/ids.ts'
import { bounds } from '../../core/limits.ts'
import { keepAlive } from '../../exec/keep-alive.ts'
import type { LeaseRow, Store } from '../../store/port.ts'
import type { Command, StoredAnswer } from './owner-commands.ts'
import { ownerText, type Ownership } from './leases.ts'

export interface AskOwnerDeps {
  readonly store: Store
  readonly clock: Clock
  readonly newId: NewId
  readonly ownership: Ownership
}

export type OwnerAnswer =
  | { readonly type: 'answered'; readonly value: unknown }
  /** No other live process owns the conversation; nothing was done. */
  | { readonly type: 'no owner' }

/**
 * Counterpart of `answerCommands`: sends a command to the live owner of the conversation and waits for its answer.
 * @throws OffshootError: the owner's error, or `conflict` if it does not answer in time.
 */
export async function askOwner(
  deps: AskOwnerDeps,
  id: ConversationId,
  command: Command,
): Promise<OwnerAnswer> {
  const owner = otherOwner(deps, id)
  if (!owner) return { type: 'no owner' }
  const commandId = deps.newId('cmd')
  const createdAt = deps.clock.now()
  const row = { id: commandId, conversationId: id, ...command, createdAt, answer: null, answeredAt: null }
  await deps.store.tx((tx) => tx.insert('commands', row), { durable: true })
  return await keepAlive(untilAnswered(deps, id, commandId, createdAt + bounds.commandMs))
}

async function untilAnswered(
  deps: AskOwnerDeps,
  id: ConversationId,
  commandId: string,
  deadline: number,
): Promise<OwnerAnswer> {
  for (;;) {
    const row = deps.store.get('commands', commandId)
    if (!row) throw new OffshootError('not_found', `${id} was deleted in the meantime`)
    if (row.answeredAt !== null) return opened(row.answer as StoredAnswer)
    const owner = otherOwner(deps, id)
    if (!owner || deps.clock.now() >= deadline) return await withdrawCommand(deps, commandId, owner)
    await sleep(deps.clock, bounds.watchMs)
  }
}

/** Unless it was answered at the last moment. */
async function withdrawCommand(
  { store }: AskOwnerDeps,
  commandId: string,
  owner: LeaseRow | undefined,
): Promise<OwnerAnswer> {
  const answer = await store.tx(
    (tx) => {
      const row = tx.get('commands', commandId)
      if (row && row.answeredAt !== null) return row.answer as StoredAnswer
      tx.delete('commands', commandId)
      return undefined
    },
    { durable: true },
  )
  if (answer) return opened(answer)
  if (!owner) return { type: 'no owner' }
  throw new OffshootError('conflict', `${ownerText(owner)} does not answer`, {
    hint: 'it may be busy (offshoot ps shows its runs) or suspended: check that process',
  })
}

function otherOwner({ ownership }: AskOwnerDeps, id: ConversationId): LeaseRow | undefined {
  return ownership.owns(id) ? undefined : ownership.livingOwner(id)
}

function opened(answer: StoredAnswer): OwnerAnswer {
  if (answer.ok) return { type: 'answered', value: answer.value }
  const { code, message, hint } = answer.error
  throw new OffshootError(code, message, hint ? { hint } : {})
}
