import type { ConversationId } from '../../core/ids.ts'
import type { Deps } from '../context/deps.ts'
import type { RunSetting } from '../context/run-setting.ts'
import type { LiveRun } from '../run/live-run.ts'
import { emitPausing } from '../run/pause-run.ts'
import { startDriving, type Conversations, type StartedRun, type StartPorts } from './acquire-and-drive.ts'
import type { StartPlan } from '../conversation/start-plan.ts'
import {
  continueOrSteer,
  wakesNobody,
  type ContinueOrder,
  type ContinuePorts,
} from '../delegation/continue-run.ts'
import { checkKept } from '../delegation/kept-settings.ts'
import { startOnFork, type ForkPorts } from '../conversation/fork-branch.ts'
import type { DispatchPorts } from './dispatch-to-owner.ts'
import { startOrDispatch } from './start-or-dispatch.ts'
import { openConversation } from '../conversation/open-conversation.ts'
import type { ContinueAnswer } from './continue.ts'
import { branchOf } from './verb-scope.ts'

export interface ContinueOptions
  extends RunSetting, Pick<ContinueOrder, 'text' | 'author' | 'maxTurns' | 'settings' | 'wake'> {
  readonly conversationId: ConversationId
  /** The conversation itself, one of its branches, or a run of one. */
  readonly target: string
}

export interface Continued extends Pick<ContinueAnswer, 'outcome' | 'branchId' | 'runId'> {
  /** Absent where another process drives it. */
  readonly started?: StartedRun
}

/** Goes on with the latest run of a branch: here, or in the process that drives its conversation. */
export async function continueBranch(
  deps: DispatchPorts & StartPorts & Pick<Deps, 'bus'>,
  conversations: Conversations,
  options: ContinueOptions,
): Promise<Continued> {
  const { conversationId, target, text, author, maxTurns, settings, wake, budgetUsd, workspace } = options
  openConversation(deps, conversationId, workspace)
  const command = {
    verb: 'continue',
    target,
    args: { text, author, maxTurns, settings, wake, budgetUsd },
  } as const
  const own = () => continueOwn(deps, conversations, options)
  const { here, there } = await startOrDispatch(deps, conversationId, command, own)
  return here ?? there
}

async function continueOwn(
  deps: ContinuePorts & ForkPorts & StartPorts & Pick<Deps, 'bus'>,
  conversations: Conversations,
  { conversationId, target, text, author, maxTurns, settings, wake, ...where }: ContinueOptions,
): Promise<Continued> {
  const branchId = branchOf(deps.store, conversationId, target)
  let outcome: Continued['outcome'] = 'continued'
  let asked: readonly LiveRun[] = []
  const write: StartPlan['write'] = (change, live, recovered) => {
    const run = live.latest(branchId)
    if (!run) {
      if (wake === false) throw wakesNobody(branchId)
      return startOnFork(change, { deps, budget: live.budget }, branchId, {
        text: text?.trim(),
        author,
        maxTurns,
      })
    }
    // what has just been taken up goes on with its work anyway
    const isTakenUp = recovered.some((each) => each.run === run && each.became === 'queued')
    if (!text?.trim() && isTakenUp && wake !== false) {
      checkKept(run.row, { maxTurns, settings })
      return { run, drive: [] }
    }
    asked = [run, ...live.below(branchId)].filter(({ row }) => row.pausing)
    const gone = continueOrSteer(change, { deps, tree: live }, run, {
      text,
      author,
      maxTurns,
      settings,
      wake,
    })
    outcome = gone.outcome
    return { run: gone.run, drive: gone.drive }
  }
  const plan = { conversationId, isNew: false, continues: branchId, write }
  const started = await startDriving(deps, conversations, where, plan)
  emitPausing(
    deps,
    asked.filter(({ row }) => !row.pausing),
  )
  return { started, outcome, branchId, runId: started.runId }
}
