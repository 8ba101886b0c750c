import { OffshootError } from '../../core/errors.ts'
import type { BranchId, ConversationId } from '../../core/ids.ts'
import type { Deps } from '../context/deps.ts'
import type { RunSetting } from '../context/run-setting.ts'
import type { LiveRun } from '../run/live-run.ts'
import { emitPausing } from '../run/pause-run.ts'
import { startDriving, type Conversations, type StartedRun, type StartPorts } from './acquire-and-drive.ts'
import type { StartPlan } from '../conversation/start-plan.ts'
import { continueOrSteer, wakesNobody, type ContinuePorts } from '../delegation/continue-run.ts'
import { checkKept } from '../delegation/kept-settings.ts'
import { startOnFork, type ForkPorts } from '../conversation/fork-branch.ts'
import type { DispatchPorts } from './dispatch-to-owner.ts'
import { startOrDispatch } from './start-or-dispatch.ts'
import { openConversation } from '../conversation/open-conversation.ts'
import { prepareOrder, type ContinueAnswer, type OrderPorts, type OrderToContinue } from './continue.ts'
import { branchOf } from './verb-scope.ts'

export interface ContinueOptions extends RunSetting, OrderToContinue {
  readonly conversationId: ConversationId
  /** The conversation itself, one of its branches, or a run of one. */
  readonly target: string
}

export interface Continued extends Pick<ContinueAnswer, 'outcome' | 'branchId' | 'runId'> {
  /** Absent if another process drives it. */
  readonly started?: StartedRun
}

/** Continues the latest run of a branch, here or in the process that drives its conversation. */
export async function continueBranch(
  deps: DispatchPorts & StartPorts & Pick<Deps, 'bus'>,
  conversations: Conversations,
  options: ContinueOptions,
): Promise<Continued> {
  const { conversationId, target, text, author, model, maxTurns, settings, wake, budgetUsd, workspace } =
    options
  openConversation(deps, conversationId, workspace)
  const files = options.files && [...options.files]
  const args = { text, author, model, files, maxTurns, settings, wake, budgetUsd }
  const command = { verb: 'continue', target, args } as const
  const own = () => continueOwn(deps, conversations, options)
  const { here, there } = await startOrDispatch(deps, conversationId, command, own)
  return here ?? there
}

async function continueOwn(
  deps: ContinuePorts & ForkPorts & OrderPorts & StartPorts & Pick<Deps, 'bus'>,
  conversations: Conversations,
  { conversationId, target, text, author, model, maxTurns, settings, wake, ...where }: ContinueOptions,
): Promise<Continued> {
  const branchId = branchOf(deps.store, conversationId, target)
  const files = await prepareOrder(deps, where.workspace, { branchId }, { model, author, files: where.files })
  let outcome: Continued['outcome'] = 'continued'
  let asked: readonly LiveRun[] = []
  const write: StartPlan['write'] = (change, live, recovered) => {
    const run = live.latest(branchId)
    if (!run) {
      if (wake === false) throw wakesNobody(branchId)
      if (files !== undefined) throw readsNoFiles(branchId)
      const said = { text: text?.trim(), author, model, maxTurns }
      return startOnFork(change, { deps, budget: live.budget }, branchId, said)
    }
    // a freshly recovered run continues its work anyway
    const isTakenUp = recovered.some((each) => each.run === run && each.became === 'queued')
    if (!text?.trim() && files === undefined && isTakenUp && wake !== false) {
      checkKept(run.row, { model, maxTurns, settings })
      return { run, drive: [] }
    }
    asked = [run, ...live.below(branchId)].filter(({ row }) => row.pausing)
    const order = { text, author, model, files, maxTurns, settings, wake }
    const gone = continueOrSteer(change, { deps, tree: live }, run, order)
    outcome = gone.outcome
    return { run: gone.run, drive: gone.drive }
  }
  const plan = { conversationId, isNew: false, continues: branchId, spoken: { author, branchId }, write }
  const started = await startDriving(deps, conversations, where, plan)
  emitPausing(
    deps,
    asked.filter(({ row }) => !row.pausing),
  )
  return { started, outcome, branchId, runId: started.runId }
}

function readsNoFiles(branchId: BranchId): OffshootError {
  return new OffshootError('conflict', `nothing has run on ${branchId} yet, so it cannot receive files`, {
    hint: 'name them in the text, or continue it without them first',
  })
}
