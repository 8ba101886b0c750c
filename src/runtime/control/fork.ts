import type { Author } from '../../core/message.ts'
import type { BranchId, RunId } from '../../core/ids.ts'
import { forkOfPerson, requireMessage, writeFork, type ForkPorts } from '../conversation/fork-branch.ts'
import { startHere, noDefaultModel, type StartHerePorts } from './start-here.ts'
import { notHere, type VerbScope } from './verb-scope.ts'

export interface ForkAnswer {
  readonly branchId: BranchId
  /** Set if a text was given. */
  readonly runId?: RunId
}

interface ForkArguments {
  readonly text: string
  readonly author?: Author | undefined
  readonly model?: string | undefined
  readonly maxTurns?: number | undefined
  readonly budgetUsd?: number | undefined
}

/**
 * Creates a branch at a message; with a text, starts a run there in the process that drives the conversation. @throws
 * OffshootError `usage` if the id is not a message.
 */
export async function fork(
  scope: VerbScope<ForkPorts & StartHerePorts>,
  id: string,
  args: ForkArguments | null,
): Promise<ForkAnswer> {
  const { deps, live, settle } = scope
  const message = requireMessage(deps.store, id)
  if (message.conversationId !== live.id) throw notHere(id, live.id)
  if (args) {
    const plan = await forkOfPerson(deps, { ...args, messageId: id, defaultModel: noDefaultModel })
    return await startHere(scope, plan, args.budgetUsd)
  }
  return await deps.recorder.record(live.id, (change) => {
    const answer = { branchId: writeFork(change, deps.newId, message).id }
    settle(change.tx, answer)
    return answer
  })
}
