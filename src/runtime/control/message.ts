import type { InboxItemId } from '../../core/ids.ts'
import { attemptsOver } from '../delegation/continue-run.ts'
import { saying, type SayOrder } from './saying.ts'
import { beginHere, type BeganAnswer } from './begin-here.ts'
import { branchOf, type VerbScope } from './verb.ts'

export interface MessageAnswer extends BeganAnswer {
  readonly itemId: InboxItemId
}

/** Says something on a branch of the conversation that this process drives. @throws OffshootError `usage`, `conflict`. */
export async function message(
  scope: VerbScope,
  id: string,
  { budgetUsd, ...order }: SayOrder & { readonly budgetUsd?: number | undefined },
): Promise<MessageAnswer> {
  const { deps, live, settle } = scope
  const branchId = branchOf(deps.store, live.id, id)
  const { beginning, item } = await saying(deps, {
    ...order,
    ...live.place,
    conversationId: live.id,
    branchId,
  })
  const last = live.latest(branchId)
  if (last) await attemptsOver({ tree: live }, last)
  const withItem: VerbScope = {
    ...scope,
    settle: (tx, answer) => settle(tx, { ...(answer as BeganAnswer), itemId: item() }),
  }
  return { ...(await beginHere(withItem, beginning, budgetUsd)), itemId: item() }
}
