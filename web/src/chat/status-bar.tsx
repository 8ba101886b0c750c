import { breadcrumb, costWords, durationWords, type BranchView, type ViewState } from 'offshoot/client'
import type { RunRow } from 'offshoot/protocol'
import { useLiveNow, useView } from '../state/conversation.tsx'
import { Until } from '../agents/run-line.tsx'
import { useStatus } from '../state/use-status.ts'
import { useVerbs } from '../state/verbs.ts'
import { runOf } from '../state/branch-lookup.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { canContinue, isLive, lookOf } from '../ui/run-status-look.ts'

/**
 * The status line of the main branch: its state, reason, duration, and the verb that helps. Other branches have it in
 * their header; here they show only paused subagents below them.
 */
export function StatusBar({ branch }: { branch: BranchView }) {
  const run = useView((state) => runOf(state, branch.id))
  if (!run) return null
  const isStopped = run.status === 'paused' || run.status === 'failed'
  if (isStopped && branch.kind !== 'main') return null
  if (isStopped) return <StoppedBar branch={branch} run={run} />
  return <StatusRow branch={branch} run={run} />
}

interface StatusProps {
  readonly branch: BranchView
  readonly run: RunRow
}

/** A quiet line with a button per paused subagent. It changes too often to be announced. */
function StatusRow({ branch, run }: StatusProps) {
  const verbs = useVerbs()
  const line = useStatus(run)
  const { icon, tone, spins } = lookOf(run)
  const paused = useView((state) => (run.status === 'completed' ? pausedBelow(state, branch) : none))
  const hasHeader = branch.kind !== 'main'
  if (hasHeader && paused.length === 0) return null
  const detail = line.detail
  return (
    <div
      className="mb-2 flex flex-wrap items-center gap-x-2 gap-y-1 px-1 text-xs text-ink-2"
      data-status-line=""
    >
      <Icon name={icon} size={13} className={`${tone} ${spins ? 'spin' : ''}`} />
      <span className="min-w-0 flex-1 wrap-anywhere">
        <span className={`font-medium ${tone}`}>{line.state}</span>
        {detail !== null && `: ${detail}`}
      </span>
      <span className="text-ink-3 tabular-nums">
        {isLive(run) && <Since at={line.since} />}
        <Until at={line.until} />
      </span>
      {paused.map((each) => (
        <Button key={each.id} look="quiet" small icon="play" onPress={() => verbs.continue(each)}>
          {`Continue ${each.agent}`}
        </Button>
      ))}
    </div>
  )
}

const none: readonly RunRow[] = []

function Since({ at }: { at: number | null }) {
  const now = useLiveNow(at !== null)
  return at === null ? null : `for ${durationWords(now - at)}`
}

/** Why a branch is stopped, what is active below it, and how to resume it. */
function StoppedBar({ branch, run }: StatusProps) {
  const verbs = useVerbs()
  const line = useStatus(run)
  const isLiveBelow = useView((state) => runsBelow(state, branch).some(isLive))
  const { icon, tone } = lookOf(run)
  const facts = [
    line.detail,
    run.reason === 'budget' && `spent ${costWords(run.subtree.costUsd)}`,
    !canContinue(run) && run.error?.hint,
  ].filter(Boolean)
  return (
    <div
      role="status"
      className="mb-2 flex flex-wrap items-center gap-2 rounded-lg border border-line bg-panel px-3 py-1.5 text-sm"
    >
      <Icon name={icon} size={14} className={tone} />
      <span className={`font-medium ${tone}`}>{line.state}</span>
      <span className="min-w-0 flex-1 text-ink-2 wrap-anywhere">{facts.join(', ')}</span>
      <span className="text-xs text-ink-3 tabular-nums">
        <Since at={line.since} />
      </span>
      {isLiveBelow && (
        <Button look="quiet" icon="pause" onPress={() => verbs.pauseAll(branch.conversationId)}>
          Pause all
        </Button>
      )}
      {canContinue(run) && (
        <Button icon="play" onPress={() => verbs.continue(run)}>
          {run.status === 'failed' ? 'Retry' : 'Continue'}
        </Button>
      )}
    </div>
  )
}

function pausedBelow(state: ViewState, branch: BranchView): readonly RunRow[] {
  return runsBelow(state, branch).filter(({ status }) => status === 'paused')
}

/** The latest runs of the branches below a branch. */
function runsBelow(state: ViewState, branch: BranchView): readonly RunRow[] {
  return Object.values(state.branches)
    .filter(
      ({ id, kind }) => id !== branch.id && kind === 'subagent' && breadcrumb(state, id).includes(branch),
    )
    .flatMap(({ id }) => runOf(state, id) ?? [])
}
