import type { BranchId, InboxItemId, RunId } from '../../core/ids.ts'
import { startDriving, type Conversations, type StartedRun, type StartPorts } from './acquire-and-drive.ts'
import type { DispatchPorts } from './dispatch-to-owner.ts'
import { startOrDispatch } from './start-or-dispatch.ts'
import { openConversation } from '../conversation/open-conversation.ts'
import { prepareMessage, type SendMessageOptions } from './prepare-message.ts'

export interface SentMessage {
  readonly itemId: InboxItemId
  /** The run that reads it, or that must end before it is read. */
  readonly runId: RunId
  readonly branchId: BranchId
  /** Absent if another process drives it. */
  readonly started?: StartedRun
}

/**
 * Sends a message to a branch, here or in the process that drives its conversation. It always becomes an inbox item,
 * delivered at once unless a run must end first. @throws OffshootError `usage`, `conflict`.
 */
export async function sendMessage(
  deps: DispatchPorts & StartPorts,
  conversations: Conversations,
  options: SendMessageOptions,
): Promise<SentMessage> {
  const { conversationId, branchId, text, author, mode, agent, model, maxTurns, wake, budgetUsd } = options
  openConversation(deps, conversationId, options.workspace)
  const args = { text, author, mode, agent, model, maxTurns, wake, budgetUsd }
  const { here, there } = await startOrDispatch(
    deps,
    conversationId,
    { verb: 'message', target: branchId, args },
    async () => {
      const { plan, item } = await prepareMessage(deps, options)
      const started = await startDriving(deps, conversations, options, plan)
      return { started, branchId, runId: started.runId, itemId: item() }
    },
  )
  return here ?? there
}
