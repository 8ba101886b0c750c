import { bounds } from '../../core/limits.ts'
import { isFinal, isStopped, state } from '../../core/run-status.ts'
import { partialReport } from '../../loop/partial-report.ts'
import type { LiveConversation } from '../conversation/live-conversation.ts'
import type { Deps } from '../context/deps.ts'
import { cancelLeft, endRun, type EndRunPorts } from '../journal/end-run.ts'
import { countCalls } from '../run/count-calls.ts'
import { changeRun, checkUnchanged, startAttempt, type LiveRun } from '../run/live-run.ts'
import { endOpenCalls, unknownOf } from '../journal/open-calls.ts'
import type { OpenJournalPorts } from '../journal/open-journal.ts'
import { readLeft } from '../journal/open-turn.ts'
import { queueFromRows } from '../run/queue-from-rows.ts'
import type { RecoveredRun } from '../run/recovered-run.ts'
import { resumeStoppedBelow, type ContinuePorts } from '../delegation/continue-run.ts'
import type { Change } from '../log/recorder.ts'
import { tellUnknown } from './tell-unknown.ts'
import { rollBackStarts } from '../run/roll-back-starts.ts'
import { requestSlot } from '../run/slots.ts'

export type RecoveryPolicy = 'continue' | 'pause'

/** The undriven, active runs of a conversation: parents first, then in queue order. */
export function leftRuns(deps: Pick<Deps, 'store'>, live: LiveConversation): LiveRun[] {
  const branches = deps.store.find('branches', { where: { conversationId: live.id }, orderBy: 'id' })
  const left = branches
    .flatMap(({ id }) => live.latest(id) ?? [])
    .filter((run) => !isStopped(run.row.status) && !live.drives(run))
  const { order: line } = queueFromRows(deps.store, live.id)
  const place = (run: LiveRun) => (run.row.status === 'queued' ? 1 + line.indexOf(run.row.id) : 0)
  return left.toSorted((a, b) => place(a) - place(b) || a.row.depth - b.row.depth)
}

/**
 * Recovers what an exited process left (invariants R2, R3, R4, R7): its calls, its partial text, and its runs, which
 * are queued again or paused. This process must own the conversation, and the other's child processes must be gone.
 * Queued runs are not driven yet.
 */
export async function recoverConversation(
  deps: RecoverPorts,
  live: LiveConversation,
  policy: RecoveryPolicy,
): Promise<readonly RecoveredRun[]> {
  await tellLeft(deps, live, policy)
  const found = leftRuns(deps, live)
  if (found.length === 0) return []
  let resumed: readonly LiveRun[] = []
  const write = (change: Change) => {
    const left = found.filter((run) => !isStopped(run.row.status)) // a change of the same commit may have paused it
    for (const run of left) keepUnlessStored(change, run)
    const before = left.map((run) => ({ status: run.row.status, pausing: pausingOf(run) }))
    const all = left.map((run, at): RecoveredRun => {
      const { status, pausing } = before[at]!
      const became = () => {
        if (isFinal(run.row.status)) return 'cancelled' // with the run above it
        return pausing
          ? pauseLeft(change, deps, run, pausing)
          : requeueOrPause(change, { deps, live }, run, policy)
      }
      return { run, status, became: became(), unknown: unknownOf(change.tx, run) }
    })
    const open = all.filter(({ became }) => became === 'queued')
    resumed = open.flatMap(({ run }) => resumeStoppedBelow(change, { deps, tree: live }, run))
    return [...all, ...resumed.map((run) => asRecovered(change, run))]
  }
  const recovered = await deps.recorder.record(live.id, write).catch((error: unknown) => {
    rollBackStarts(deps, live, resumed)
    throw error
  })
  for (const { run } of recovered) {
    if (isStopped(run.row.status)) {
      run.markStopped()
      deps.scheduler.release(run.row.id) // a later change of the same commit may have paused it again
    } else if (!resumed.includes(run)) {
      startAttempt(run)
      if (!run.row.waitingFor) requestSlot(deps, run, 'end')
    }
  }
  deps.scheduler.tellLine(live.id, 'conversation') // their events came before their places
  return recovered
}

type RecoverPorts = EndRunPorts & ContinuePorts & Pick<Deps, 'tellUnknown'>

function tellLeft(deps: RecoverPorts, live: LiveConversation, policy: RecoveryPolicy): Promise<void> {
  const left = leftRuns(deps, live)
  const failing = left.filter((run) => !pausingOf(run) && isGivenUp(run, policy))
  const ending = new Set(failing.flatMap((run) => [run, ...live.below(run.row.branchId)]))
  return tellUnknown(deps, left, (run) => ending.has(run))
}

/** @throws OffshootError `conflict` if another process changed it in the meantime. */
function keepUnlessStored(change: Change, run: LiveRun): void {
  checkUnchanged(change, run)
  const { row } = run
  change.ifRefused(() => run.held.enter(row))
}

/** It had paused, and already holds its place in the queue. */
function asRecovered(change: Change, run: LiveRun): RecoveredRun {
  return { run, status: 'paused', became: 'queued', unknown: unknownOf(change.tx, run) }
}

/** Who had asked it to pause when its process exited: at least that is kept. */
function pausingOf({ row, parent }: LiveRun): 'user' | 'parent' | undefined {
  if (row.pausing) return row.pausing
  return parent && !row.background && !isStopped(parent.row.status) && pausingOf(parent)
    ? 'parent'
    : undefined
}

function pauseLeft(change: Change, deps: OpenJournalPorts, run: LiveRun, why: 'user' | 'parent'): 'paused' {
  endOpenCalls(change, deps, run)
  const toolCalls = countCalls(change.tx, run.row.id)
  changeRun(change, run, state.paused(why), { row: { stopNo: run.row.stopNo + 1, toolCalls } })
  return 'paused'
}

function isGivenUp(run: LiveRun, policy: RecoveryPolicy): boolean {
  return isBlamed(run) && run.row.attempt >= bounds.crashesBeforeFailure && policy === 'continue'
}

/** It may have caused the exit of its process. */
function isBlamed({ row }: LiveRun): boolean {
  return row.status === 'running' || row.reason === 'retry'
}

function requeueOrPause(
  change: Change,
  { deps, live }: { readonly deps: EndRunPorts; readonly live: LiveConversation },
  run: LiveRun,
  policy: RecoveryPolicy,
): RecoveredRun['became'] {
  run.held.count({ toolCalls: countCalls(change.tx, run.row.id) })
  if (isGivenUp(run, policy)) return giveUp(change, deps, live, run)
  const attempt = isBlamed(run) ? { attempt: run.row.attempt + 1 } : {}
  endOpenCalls(change, deps, run)
  const wasQueued = run.row.status === 'queued'
  const { toolCalls } = run.row
  // its agent or its tools are defined elsewhere, perhaps in another program that can resume it
  const why = run.unusable ?? run.lacksTools
  const stays = policy === 'pause' || why !== undefined
  const note = why
    ? {
        reportNote: `not resumed here: ${[why.message, run.lacksTools?.hint].filter(Boolean).join('. ')}`,
      }
    : {}
  if (!wasQueued || stays)
    changeRun(change, run, state.paused('restart'), {
      row: { stopNo: run.row.stopNo + 1, toolCalls, ...note },
    })
  if (stays) return 'paused'
  if (!wasQueued) changeRun(change, run, state.queued, { row: attempt })
  return 'queued'
}

/** The run fails permanently, with everything below it; its parent is told. */
function giveUp(change: Change, deps: EndRunPorts, live: LiveConversation, run: LiveRun): 'failed' {
  for (const below of live.below(run.row.branchId)) cancelLeft(change, deps, below, 'parent')
  const { texts } = readLeft(change.tx, run.row)
  const message = `its process exited ${run.row.attempt} times while it ran; it is not retried automatically`
  const hint = `offshoot continue ${run.row.branchId} tries it once more`
  const partial = partialReport(texts, 'its process exited')
  const report = { ...partial, note: texts.length > 0 ? `${message}; ${partial.note}` : message }
  endRun(change, { deps, tree: live }, run, {
    type: 'failed',
    error: { code: 'crashed', message, hint },
    report,
  })
  return 'failed'
}
