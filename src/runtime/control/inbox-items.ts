import type { BranchId, InboxItemId } from '../../core/ids.ts'
import type { InboxRow } from '../../store/port.ts'
import { OffshootError } from '../../core/errors.ts'
import type { LiveConversation } from '../conversation/live-conversation.ts'
import { changeItem, waitingItems } from '../run/inbox.ts'
import { eventScope } from '../run/live-run.ts'
import type { EventScope } from '../run/messages.ts'
import type { Change } from '../log/recorder.ts'
import type { Deps } from '../context/deps.ts'
import { branchOf, notHere, type VerbScope } from './verb-scope.ts'

export interface ItemAnswer {
  readonly itemId: InboxItemId
  readonly mode: InboxRow['mode']
}

export interface ClearAnswer {
  readonly withdrawn: number
  /** Results and notes, which stay: they can only be withdrawn one by one. */
  readonly left: number
}

/** A change of a waiting item. Only a person's own text can be edited. */
export type ItemChange = { readonly text: string } | { readonly mode: 'steer' } | 'withdraw'

/** @throws OffshootError `not_found`; `conflict` if the item was read or withdrawn before, or cannot be edited. */
export async function changeInboxItem(
  scope: VerbScope<Pick<Deps, 'recorder' | 'store'>>,
  branch: string,
  itemId: string,
  to: ItemChange,
): Promise<ItemAnswer> {
  const { deps, live, settle } = scope
  const branchId = branchOf(deps.store, live.id, branch)
  return await deps.recorder.record(live.id, (change) => {
    const row = change.tx.get('inbox', itemId)
    if (row?.branchId !== branchId) throw notHere(itemId, live.id)
    if (typeof to === 'object' && 'text' in to && !isOfPerson(row)) throw notYours(row)
    const next = to === 'withdraw' ? { withdrawnAt: change.at } : to
    const { id, mode } = changeItem(change, placeOf(live, change, branchId), row.id, next)
    const answer = { itemId: id, mode }
    settle(change.tx, answer)
    return answer
  })
}

/** Withdraws all unread messages of people on a branch. */
export async function clearInbox(
  scope: VerbScope<Pick<Deps, 'recorder' | 'store'>>,
  branch: string,
): Promise<ClearAnswer> {
  const { deps, live, settle } = scope
  const branchId = branchOf(deps.store, live.id, branch)
  return await deps.recorder.record(live.id, (change) => {
    const waiting = waitingItems(change.tx, branchId)
    const written = waiting.filter(isOfPerson)
    const here = placeOf(live, change, branchId)
    for (const row of written) changeItem(change, here, row.id, { withdrawnAt: change.at })
    const answer = { withdrawn: written.length, left: waiting.length - written.length }
    settle(change.tx, answer)
    return answer
  })
}

function placeOf(live: LiveConversation, { at }: Change, branchId: BranchId): EventScope {
  const run = live.latest(branchId)
  if (run) return eventScope(run, at)
  return { at, conversationId: live.id, branchId, runId: null, parentRunId: null, depth: 0 }
}

/** Unknown for items of an older program: a message may be an agent's. */
function isOfPerson({ kind, author = null }: InboxRow): boolean {
  return kind === 'user' && (author === null || author === 'person')
}

function notYours({ id, kind }: InboxRow): OffshootError {
  const what = kind === 'user' ? 'message that no person wrote' : kind
  return new OffshootError('conflict', `${id} is a ${what}, which cannot be edited`, {
    hint: 'it can be withdrawn',
  })
}
