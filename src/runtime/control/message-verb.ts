import type { InboxItemId } from '../../core/ids.ts'
import { attemptsOver } from '../delegation/continue-run.ts'
import { prepareMessage, type MessageOrder, type MessagePorts } from './prepare-message.ts'
import { startHere, type StartAnswer } from './start-here.ts'
import { branchOf, type VerbScope } from './verb-scope.ts'

export interface MessageAnswer extends StartAnswer {
  readonly itemId: InboxItemId
}

/**
 * Sends a message to a branch of a conversation that this process drives. @throws OffshootError `usage`, `conflict`.
 */
export async function message(
  scope: VerbScope<MessagePorts>,
  id: string,
  { budgetUsd, ...order }: MessageOrder & { readonly budgetUsd?: number | undefined },
): Promise<MessageAnswer> {
  const { deps, live, settle } = scope
  const branchId = branchOf(deps.store, live.id, id)
  const { plan, item } = await prepareMessage(deps, {
    ...order,
    ...live.setting,
    conversationId: live.id,
    branchId,
  })
  const last = live.latest(branchId)
  if (last) await attemptsOver(live, last)
  const withItem: typeof scope = {
    ...scope,
    settle: (tx, answer) => settle(tx, { ...(answer as StartAnswer), itemId: item() }),
  }
  return { ...(await startHere(withItem, plan, budgetUsd)), itemId: item() }
}
