import { OffshootError } from '../../core/errors.ts'
import type { Author } from '../../core/message.ts'
import type { BranchId, InboxItemId, RunId } from '../../core/ids.ts'
import type { RunStatus } from '../../core/run-status.ts'
import { checkSpeaker, type SpeakerPorts } from '../authority/check-speaker.ts'
import { putMessage } from '../run/put-message.ts'
import type { Deps } from '../context/deps.ts'
import { requireTarget, type VerbScope } from './verb-scope.ts'

export interface SteerAnswer {
  readonly itemId: InboxItemId
  readonly branchId: BranchId
  readonly runId: RunId
  readonly status: RunStatus
  /** Whether no process drives it: it reads this when it resumes. */
  readonly waits: boolean
}

/** Sends a message that a run reads at its next turn. @throws OffshootError `conflict` if it has stopped. */
export async function steer(
  scope: VerbScope<SpeakerPorts & Pick<Deps, 'newId' | 'recorder'>>,
  id: string,
  { text, author = 'person' }: { readonly text: string; readonly author?: Author | undefined },
): Promise<SteerAnswer> {
  const { deps, live, settle } = scope
  const target = requireTarget(scope, id)
  checkSpeaker(deps, live, { author, branchId: target.row.branchId })
  return await deps.recorder.record(live.id, (change) => {
    const said = { mode: 'steer', text, author, refusal: hasStopped } as const
    const item = putMessage(change, deps.newId, target, said)
    const { branchId, id: runId, status } = target.live!.row
    const waits = !live.drives(target.live!)
    const answer = { itemId: item.id, branchId, runId, status, waits }
    settle(change.tx, answer)
    return answer
  })
}

function hasStopped(branchId: BranchId, status: RunStatus): OffshootError {
  return new OffshootError('conflict', `${branchId} is ${status} and does not read messages`, {
    hint: `offshoot continue ${branchId} "..." resumes it with a message`,
  })
}
