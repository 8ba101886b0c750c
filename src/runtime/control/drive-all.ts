import { ignoreLateRejection } from '../../core/rejections.ts'
import type { LiveConversation } from '../conversation/live-conversation.ts'
import type { LiveRun } from '../run/live-run.ts'

/** Drives runs that no code here awaits. The conversation keeps an error and rejects when it is awaited. */
export function driveAll(live: LiveConversation, runs: readonly LiveRun[]): void {
  for (const run of runs) ignoreLateRejection(live.drive(run))
}
