import type { BranchId, ConversationId } from '../../core/ids.ts'
import type { Spoken } from '../authority/check-speaker.ts'
import type { LiveConversation } from './live-conversation.ts'
import type { LiveRun } from '../run/live-run.ts'
import type { RecoveredRun } from '../run/recovered-run.ts'
import type { Change } from '../log/recorder.ts'

/** A planned start in a conversation. */
export interface StartPlan {
  readonly conversationId: ConversationId
  /** Whether this change creates it. */
  readonly isNew: boolean
  /** A branch whose stopped run is to resume. */
  readonly continues?: BranchId
  /** Who says on which stored branch what it begins with. */
  readonly spoken?: Spoken
  /**
   * Refuses what `write` would refuse, before this process recovers what an exited one left: a command that fails must not
   * go on driving that unseen.
   */
  check?(live: LiveConversation): void
  /** Writes it, in one change. */
  write(change: Change, live: LiveConversation, recovered: readonly RecoveredRun[]): LiveRun | StartResult
}

/** Runs to drive, and the requested one, which may be driven already. */
export interface StartResult {
  readonly run: LiveRun
  readonly drive: readonly LiveRun[]
}

export function asStartResult(written: LiveRun | StartResult): StartResult {
  return 'drive' in written ? written : { run: written, drive: [written] }
}
