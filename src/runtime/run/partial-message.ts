import type { BranchId, MessageId, RunId } from '../../core/ids.ts'
import type { Part } from '../../core/message.ts'

/** A streaming answer so far. */
export interface PartialMessage {
  readonly messageId: MessageId
  readonly branchId: BranchId
  readonly runId: RunId
  readonly parts: readonly Part[]
}
