import { breadcrumb, costWords, type BranchView, type ViewState } from 'offshoot/client'
import type { RunRow } from 'offshoot/protocol'
import { useView } from '../state/conversation.tsx'
import { useVerbs } from '../state/verbs.ts'
import { runOf } from '../state/branch-lookup.ts'
import { Button } from '../ui/button.tsx'
import { counted } from '../ui/format.ts'
import { Icon } from '../ui/icon.tsx'
import { isLive, lookOf } from '../ui/run-status-look.ts'

/** Why a branch stands still, what goes on or waits below it, and how it goes on. */
export function StoppedBar({ branch }: { branch: BranchView }) {
  const verbs = useVerbs()
  const run = useView((state) => runOf(state, branch.id))
  const below = useView((state) => runsBelow(state, branch))
  if (!run || (run.status !== 'paused' && run.status !== 'failed')) return null
  const { icon, tone, word } = lookOf(run)
  const going = below.filter(isLive).length
  const paused = below.filter((each) => each.status === 'paused').length
  const facts = [
    going > 0 && `${counted(going, 'subagent')} running in background`,
    paused > 0 && `${paused} paused`,
    run.status === 'failed' && run.error?.message,
  ].filter(Boolean)
  return (
    <div
      role="status"
      className="mb-2 flex flex-wrap items-center gap-2 rounded-lg border border-line bg-panel px-3 py-1.5 text-sm"
    >
      <Icon name={icon} size={14} className={tone} />
      <span className={`font-medium ${tone}`}>{run.reason === 'user' ? 'Interrupted' : word}</span>
      <span className="min-w-0 flex-1 text-ink-2 wrap-anywhere">
        {facts.join(', ') || (run.reason === 'budget' ? `spent ${costWords(run.subtree.costUsd)}` : '')}
      </span>
      {going > 0 && (
        <Button look="quiet" icon="pause" onPress={() => verbs.pauseAll(branch.conversationId)}>
          Pause all
        </Button>
      )}
      <Button icon="play" onPress={() => verbs.continue(run)}>
        {run.status === 'failed' ? 'Retry' : 'Continue'}
      </Button>
    </div>
  )
}

/** The latest runs of the branches below a branch. */
function runsBelow(state: ViewState, branch: BranchView): readonly RunRow[] {
  return Object.values(state.branches)
    .filter(
      ({ id, kind }) => id !== branch.id && kind === 'subagent' && breadcrumb(state, id).includes(branch),
    )
    .flatMap(({ id }) => runOf(state, id) ?? [])
}
