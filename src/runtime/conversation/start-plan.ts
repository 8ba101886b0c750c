import type { BranchId, ConversationId } from '../../core/ids.ts'
import type { Spoken } from '../authority/check-speaker.ts'
import type { LiveConversation } from './live-conversation.ts'
import type { LiveRun } from '../run/live-run.ts'
import type { RecoveredRun } from '../run/recovered-run.ts'
import type { Change } from '../log/recorder.ts'

/** Something that is to begin in a conversation. */
export interface StartPlan {
  readonly conversationId: ConversationId
  /** Whether it is made by this change. */
  readonly isNew: boolean
  /** A branch whose run, if it has stopped, is to go on. */
  readonly continues?: BranchId
  /** Who says on which stored branch what it begins with. */
  readonly spoken?: Spoken
  /** Writes it, in one change. */
  write(change: Change, live: LiveConversation, recovered: readonly RecoveredRun[]): LiveRun | StartResult
}

/** What is to be driven from now on, and which run of it was asked for; that one may be driven already. */
export interface StartResult {
  readonly run: LiveRun
  readonly drive: readonly LiveRun[]
}

export function asStartResult(written: LiveRun | StartResult): StartResult {
  return 'drive' in written ? written : { run: written, drive: [written] }
}
