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
 * Begins something in the conversation that this process drives already. @throws OffshootError `conflict` when that is
 * about to end; what the beginning throws.
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

/** Reports wake their readers again, and there is as much money as was said. */
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
  throw new OffshootError('conflict', 'the process that drives this conversation is stopping it', {
    hint: 'wait until it has ended, and try again',
  })
}

/** The model that nobody has named, in a conversation where nothing has run. */
export async function noDefaultModel(): Promise<never> {
  throw new OffshootError('usage', 'nothing here says which model it is to have', {
    hint: '--model provider/model does; offshoot models lists them',
  })
}
