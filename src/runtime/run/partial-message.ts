import type { BranchId, MessageId, RunId } from '../../core/ids.ts'
import type { Part } from '../../core/message.ts'

/** What there is of an answer that is being streamed. */
export interface PartialMessage {
  readonly messageId: MessageId
  readonly branchId: BranchId
  readonly runId: RunId
  readonly parts: readonly Part[]
}
