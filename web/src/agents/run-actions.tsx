import { costWords } from 'offshoot/client'
import type { RunRow } from 'offshoot/protocol'
import { useState } from 'react'
import { useIsPausing } from '../state/asked-pauses.ts'
import { usePendingCancel } from '../state/pending-cancels.ts'
import { useVerbs } from '../state/verbs.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { counted } from '../ui/format.ts'
import { canContinue, isLive } from '../ui/run-status-look.ts'
import { useNow } from '../ui/use-now.ts'

/** A single press never discards more than this. US dollars. */
const CONFIRM_OVER_USD = 0.5

/** The actions for a run in its state. Only Cancel is final, and asks first if much would be lost. */
export function RunActions({
  run,
  onView,
  small = false,
}: {
  run: RunRow
  onView?: (() => void) | undefined
  small?: boolean
}) {
  const verbs = useVerbs()
  const live = isLive(run)
  const paused = run.status === 'paused'
  const ending = usePendingCancel(run.id) !== undefined
  const name = `${run.agent}: ${run.task}`
  const look = small ? 'quiet' : 'plain'
  return (
    <div className="flex flex-wrap items-center gap-x-0.5 gap-y-1">
      {onView && (
        <Button
          look={look}
          small={small}
          icon="eye"
          onPress={onView}
          aria-label={`View ${name}`}
          data-opener={`view-${run.branchId}`}
        >
          View
        </Button>
      )}
      {!ending && <PauseAction run={run} small={small} />}
      {!ending && canContinue(run) && (
        <Button
          look={look}
          small={small}
          icon="play"
          onPress={() => verbs.continue(run)}
          aria-label={`Continue ${name}`}
        >
          {run.status === 'failed' ? 'Retry' : 'Continue'}
        </Button>
      )}
      {!onView && live && run.parentRunId && !run.background && (
        <Button
          look={look}
          small={small}
          onPress={() => verbs.background(run)}
          aria-label={`Background: ${name}`}
        >
          Background
        </Button>
      )}
      <CancelAction run={run} isPossible={live || paused} small={small} />
    </div>
  )
}

/** Shown from the press until the current step of the run has ended. */
function PauseAction({ run, small }: { run: RunRow; small: boolean }) {
  const verbs = useVerbs()
  const pausing = useIsPausing(run)
  if (!pausing && (!isLive(run) || run.status === 'queued')) return null
  return (
    <Button
      look={small ? 'quiet' : 'plain'}
      small={small}
      icon="pause"
      isDisabled={pausing}
      onPress={() => verbs.pause(run)}
      aria-label={`${pausing ? 'Pausing' : 'Pause'} ${run.agent}: ${run.task}`}
    >
      {pausing ? 'Pausing…' : 'Pause'}
    </Button>
  )
}

interface CancelActionProps {
  readonly run: RunRow
  /** The dialog stays open while the run ends. */
  readonly isPossible: boolean
  readonly small: boolean
}

function CancelAction({ run, isPossible, small }: CancelActionProps) {
  const verbs = useVerbs()
  const [asking, setAsking] = useState(false)
  const at = usePendingCancel(run.id)
  const costly = run.subtree.runs > 2 || (run.subtree.costUsd ?? 0) > CONFIRM_OVER_USD
  if (at !== undefined) return <UndoCancel run={run} at={at} small={small} />
  return (
    <>
      {isPossible && (
        <Button
          look={small ? 'quiet' : 'plain'}
          small={small}
          icon="x"
          aria-label={`Cancel ${run.agent}: ${run.task}`}
          onPress={() => (costly ? setAsking(true) : verbs.cancel(run))}
        >
          Cancel
        </Button>
      )}
      <ConfirmDialog
        isOpen={asking}
        title={`Cancel ${run.agent}?`}
        action="Cancel run"
        keep="Keep run"
        onClose={() => setAsking(false)}
        onConfirm={() => verbs.cancel(run)}
      >
        {`It has spent ${costWords(run.subtree.costUsd)} in ${counted(run.subtree.runs, 'run')}. Pause keeps everything, and you can continue later; Cancel is final.`}
      </ConfirmDialog>
    </>
  )
}

/** Replaces the pressed button. */
function UndoCancel({ run, at, small }: { run: RunRow; at: number; small: boolean }) {
  const verbs = useVerbs()
  // the displayed time may be a second old
  const left = Math.max(0, Math.floor((at - useNow()) / 1000))
  return (
    <span className="flex items-center gap-1 text-xs text-ink-2 tabular-nums">
      {`Cancelling in ${left} s`}
      <Button
        look={small ? 'quiet' : 'plain'}
        small={small}
        className="text-accent"
        aria-label={`Undo cancel of ${run.agent}: ${run.task}`}
        onPress={() => verbs.undoCancel(run)}
      >
        Undo
      </Button>
    </span>
  )
}
