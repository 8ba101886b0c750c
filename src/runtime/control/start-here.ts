import { OffshootError } from '../../core/errors.ts'
import type { BranchId, RunId } from '../../core/ids.ts'
import { checkSpeaker, type SpeakerPorts } from '../authority/check-speaker.ts'
import { asStartResult, type StartPlan, type StartResult } from '../conversation/start-plan.ts'
import type { LiveConversation } from '../conversation/live-conversation.ts'
import type { Change } from '../log/recorder.ts'
import { rollBackStarts } from '../run/roll-back-starts.ts'
import type { Deps } from '../context/deps.ts'
import type { VerbScope } from './verb-scope.ts'
import { driveAll } from './drive-all.ts'

export type StartHerePorts = SpeakerPorts & Pick<Deps, 'recorder' | 'scheduler'>

export interface StartAnswer {
  readonly branchId: BranchId
  readonly runId: RunId
}

/**
 * Starts something in a conversation that this process already drives. @throws OffshootError `conflict` if that is
 * stopping; the start's own error.
 */
export async function startHere(
  { deps, live, requireOpen, settle }: VerbScope<StartHerePorts>,
  { spoken, write }: StartPlan,
  budgetUsd: number | undefined,
): Promise<StartAnswer> {
  requireDriving(live)
  if (spoken) checkSpeaker(deps, live, spoken)
  let started: StartResult | undefined
  try {
    const answer = await deps.recorder.record(live.id, (change) => {
      requireOpen(change.tx)
      resumeConversation(change, live, budgetUsd)
      started = asStartResult(write(change, live, []))
      const { branchId, id: runId } = started.run.row
      live.budget.store(change, live.id)
      settle(change.tx, { branchId, runId })
      for (const run of started.drive) live.publish(run)
      return { branchId, runId }
    })
    driveAll(live, started!.drive)
    return answer
  } catch (error) {
    rollBackStarts(deps, live, started?.drive ?? [])
    throw error
  }
}

/** Reports wake their readers again, and the budget is as requested. */
export function resumeConversation(
  { ifRefused }: Change,
  live: LiveConversation,
  budgetUsd: number | undefined,
): void {
  const { isPausedByUser } = live
  ifRefused(() => (live.isPausedByUser = isPausedByUser))
  live.isPausedByUser = false
  if (budgetUsd !== undefined) ifRefused(live.budget.allow(budgetUsd))
}

/** @throws OffshootError `conflict` */
export function requireDriving({ stopped }: LiveConversation): void {
  if (!stopped) return
  throw new OffshootError('conflict', 'the process that drives this conversation is stopping', {
    hint: 'wait until it has ended, and try again',
  })
}

/** Fails for a conversation without runs if no model is named. */
export async function noDefaultModel(): Promise<never> {
  throw new OffshootError('usage', 'no model is configured for this message', {
    hint: 'set one with --model provider/model; offshoot models lists them',
  })
}
