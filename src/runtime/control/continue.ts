import { OffshootError } from '../../core/errors.ts'
import type { BranchId, RunId } from '../../core/ids.ts'
import type { Run } from '../../core/run.ts'
import type { RunStatus } from '../../core/run-status.ts'
import type { Workspace } from '../../tools/port.ts'
import { checkSpeaker, type SpeakerPorts } from '../authority/check-speaker.ts'
import { readGivenFiles, type GivenFilesPorts } from '../delegation/given-files.ts'
import {
  attemptsOver,
  continueOrSteer,
  type ContinuePorts,
  type OrderOfPerson,
} from '../delegation/continue-run.ts'
import type { LiveRun } from '../run/live-run.ts'
import type { Change } from '../log/recorder.ts'
import type { Deps } from '../context/deps.ts'
import { emitPausing } from '../run/pause-run.ts'
import { rollBackStarts } from '../run/roll-back-starts.ts'
import { requireDriving, resumeConversation } from './start-here.ts'
import { requireTarget, type VerbScope } from './verb-scope.ts'
import { driveAll } from './drive-all.ts'

export interface ContinueAnswer {
  /** `steered`: it was active, and reads the text at its next turn. */
  readonly outcome: 'continued' | 'steered'
  readonly branchId: BranchId
  readonly runId: RunId
  readonly status: RunStatus
}

/** What a person or a program asks for; files are given as paths. */
export interface OrderToContinue extends Omit<OrderOfPerson, 'files'> {
  readonly files?: readonly string[] | undefined
}

export type OrderPorts = GivenFilesPorts & Pick<Deps, 'resolveModel'>

/** The text of the files. @throws OffshootError for an unusable model or file, before anything is written. */
export async function prepareOrder(
  deps: OrderPorts,
  workspace: Workspace,
  { branchId }: Pick<Run, 'branchId'>,
  { model, files: paths = [], author = 'person' }: Pick<OrderToContinue, 'model' | 'files' | 'author'>,
): Promise<string | undefined> {
  if (model !== undefined) await deps.resolveModel(model)
  return await readGivenFiles(deps, workspace, branchId, { paths, author })
}

/**
 * Resumes a stopped run in the process that drives its conversation. @throws OffshootError `conflict` if that process
 * is stopping.
 */
export async function continueHere(
  {
    deps,
    live: conversation,
    requireOpen,
    settle,
  }: VerbScope<ContinuePorts & OrderPorts & SpeakerPorts & Pick<Deps, 'bus'>>,
  id: string,
  { files = [], ...given }: OrderToContinue & { readonly budgetUsd?: number | undefined },
): Promise<ContinueAnswer> {
  const { live: run } = requireTarget({ deps, live: conversation }, id)
  if (!run) throw new OffshootError('conflict', `${id} is not the latest run of its branch`)
  requireDriving(conversation)
  checkSpeaker(deps, conversation, { author: given.author, branchId: run.row.branchId })
  const order = {
    ...given,
    files: await prepareOrder(deps, conversation.setting.workspace, run.row, { ...given, files }),
  }
  await attemptsOver(conversation, run)
  const asked = [run, ...conversation.below(run.row.branchId)].filter(({ row }) => row.pausing)
  let drive: readonly LiveRun[] = []
  const write = (change: Change): ContinueAnswer => {
    requireOpen(change.tx)
    resumeConversation(change, conversation, order.budgetUsd)
    const latest = conversation.latest(run.row.branchId) ?? run // another command may have continued it
    const gone = continueOrSteer(change, { deps, tree: conversation }, latest, order)
    drive = gone.drive
    const { branchId } = run.row
    const { id: runId, status } = gone.run.row
    const answer: ContinueAnswer = { outcome: gone.outcome, branchId, runId, status }
    conversation.budget.store(change, conversation.id)
    settle(change.tx, answer)
    for (const each of drive) conversation.publish(each)
    return answer
  }
  const answer = await deps.recorder.record(conversation.id, write).catch((error: unknown) => {
    rollBackStarts(deps, conversation, drive)
    throw error
  })
  emitPausing(
    deps,
    asked.filter(({ row }) => !row.pausing),
  )
  driveAll(conversation, drive)
  return answer
}
