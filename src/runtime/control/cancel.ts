import { OffshootError } from '../../core/errors.ts'
import { idPrefix } from '../../core/ids.ts'
import { isFinal, type RunStatus } from '../../core/run-status.ts'
import type { LiveRun } from '../run/live-run.ts'
import { cancelRuns, type CancelPorts } from '../journal/cancel-runs.ts'
import type { Deps } from '../context/deps.ts'
import { cleanUpCalls } from '../recovery/clean-up-calls.ts'
import { tellUnknown } from '../recovery/tell-unknown.ts'
import { findTarget, type VerbScope } from './verb-scope.ts'

/** The result of a cancel. */
export interface CancelVerbAnswer {
  readonly outcome: 'cancelled' | 'already_finished'
  /** The status of the target; null if nothing had run. */
  readonly status: RunStatus | null
  /** Number of cancelled runs, including those below. */
  readonly runs: number
  /** Pids of processes that could not be stopped. */
  readonly left: readonly number[]
}

type CancelVerbPorts = CancelPorts & Pick<Deps, 'tellUnknown'>

/**
 * Cancels a run, the latest run of a branch, or everything in a conversation, with all below. `ifStoppedAt`, for a run:
 * only if it has not resumed since it stopped then. @throws OffshootError `conflict` if it has
 */
export function cancel(
  scope: VerbScope<CancelVerbPorts>,
  id: string,
  ifStoppedAt?: number,
): Promise<CancelVerbAnswer> {
  return idPrefix(id) === 'cnv' ? cancelConversation(scope, id) : cancelTarget(scope, id, ifStoppedAt)
}

async function cancelTarget(
  scope: VerbScope<CancelVerbPorts>,
  id: string,
  ifStoppedAt: number | undefined,
): Promise<CancelVerbAnswer> {
  const target = findTarget(scope, id)
  if (!target?.live || isFinal(target.row.status)) return finished(target?.row.status ?? null)
  const { live } = target
  const check = () => requireStoppedAt(live, ifStoppedAt)
  check()
  const below = scope.live.below(live.row.branchId)
  return await end(scope, { tops: [live], below, check }, () => live.row.status)
}

function requireStoppedAt({ row }: LiveRun, at: number | undefined): void {
  if (at === undefined || (row.status === 'paused' && row.endedAt === at)) return
  // unknown whether it ever stopped at that time
  throw new OffshootError('conflict', `${row.id} is ${row.status} and has not been paused since ${at}`, {
    hint: 'it has resumed since then, or did not stop then; GET /api/runs/ID has its endedAt',
  })
}

/** All at once, including runs started by people: no report wakes anything. */
async function cancelConversation(scope: VerbScope<CancelVerbPorts>, id: string): Promise<CancelVerbAnswer> {
  const { deps, live } = scope
  const main = findTarget(scope, id)
  const branches = deps.store.find('branches', { where: { conversationId: live.id } })
  const all = branches.flatMap((branch) => live.latest(branch.id) ?? [])
  const open = all.filter(({ row }) => !isFinal(row.status))
  if (open.length === 0) return finished(main?.row.status ?? null)
  live.stop({ verb: 'cancel', by: 'user' })
  const below = open.filter((run) => run.parent && open.includes(run.parent))
  const tops = open.filter((run) => !below.includes(run))
  const deepestFirst = below.toSorted((a, b) => b.row.depth - a.row.depth)
  return await end(
    scope,
    { tops, below: deepestFirst },
    () => main?.live?.row.status ?? main?.row.status ?? null,
  )
}

interface Ended {
  readonly tops: readonly LiveRun[]
  readonly below: readonly LiveRun[]
  /** Called directly before the runs are stopped. */
  readonly check?: () => void
}

async function end(
  { deps, live, requireOpen, settle }: VerbScope<CancelVerbPorts>,
  { tops, below, check }: Ended,
  status: () => RunStatus | null,
): Promise<CancelVerbAnswer> {
  let answer = finished(null)
  const left = [...tops, ...below].filter((run) => !live.drives(run))
  await cleanUpCalls(deps, live.setting.workspace, left)
  await tellUnknown(deps, left, () => true)
  check?.()
  await cancelRuns(
    { deps, tree: live },
    {
      conversationId: live.id,
      tops,
      reason: { verb: 'cancel', by: 'user' },
      below,
      check: ({ tx }) => requireOpen(tx),
      write: ({ tx }, ended, left) => {
        const outcome = tops.some((run) => ended.includes(run)) ? 'cancelled' : 'already_finished'
        answer = { outcome, status: status(), runs: ended.length, left }
        settle(tx, answer)
      },
    },
  )
  return answer
}

function finished(status: RunStatus | null): CancelVerbAnswer {
  return { outcome: 'already_finished', status, runs: 0, left: [] }
}
