import { OffshootError } from '../../core/errors.ts'
import type { BranchId, RunId } from '../../core/ids.ts'
import { asBegun, type Beginning, type Begun } from '../conversation/beginning.ts'
import type { LiveConversation } from '../conversation/conversation.ts'
import { takeBack } from '../run/take-back.ts'
import type { VerbScope } from './verb.ts'
import { driveAll } from './drive-all.ts'

export interface BeganAnswer {
  readonly branchId: BranchId
  readonly runId: RunId
}

/**
 * Begins something in the conversation that this process drives already. @throws OffshootError `conflict` when that is
 * about to end; what the beginning throws.
 */
export async function beginHere(
  { deps, live, settle }: VerbScope,
  { write }: Beginning,
  budgetUsd: number | undefined,
): Promise<BeganAnswer> {
  requireGoingOn(live)
  live.isHeld = false
  if (budgetUsd !== undefined) live.budget.allow(budgetUsd)
  let begun: Begun | undefined
  try {
    const answer = await deps.recorder.record(live.id, (change) => {
      begun = asBegun(write(change, live, []))
      const { branchId, id: runId } = begun.run.row
      live.budget.store(change, live.id)
      settle(change.tx, { branchId, runId })
      return { branchId, runId }
    })
    driveAll(live, begun!.drive)
    return answer
  } catch (error) {
    takeBack(deps, live.budget, begun?.drive ?? [])
    throw error
  }
}

/** @throws OffshootError `conflict` */
export function requireGoingOn({ stopped }: LiveConversation): void {
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
