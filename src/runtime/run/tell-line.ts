import type { RunId, ConversationId } from '../../core/ids.ts'
import { bestEffort } from '../../core/rejections.ts'
import { parseRun } from '../../core/run-steps.ts'
import { runEvent } from './live-run.ts'
import type { Recorder } from '../log/recorder.ts'
import type { Scheduler } from './scheduler.ts'

interface Waiter {
  readonly runId: RunId
  readonly conversationId: ConversationId
}

/**
 * Emits `run.queued` again for the first queued run of a conversation when its queue waits for another limit. If that
 * run got its slot in the meantime, the next one emits it.
 */
export function tellLine(recorder: Recorder, scheduler: Scheduler, { runId, conversationId }: Waiter): void {
  const told = recorder.record(conversationId, (change) => {
    const row = change.tx.get('runs', runId)
    const about = scheduler.queued(runId)
    if (row?.status !== 'queued' || about.position === undefined)
      return scheduler.tellLine(conversationId, null)
    const event = runEvent({ row: parseRun(row) }, 'run.queued', change.at, { from: 'queued', ...about })
    change.event(event)
  })
  void bestEffort(told) // the store is gone, or another process owns the conversation and its queue
}
