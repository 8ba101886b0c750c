import { costWords } from 'offshoot/client'
import type { RunRow } from 'offshoot/protocol'
import { useState } from 'react'
import { useVerbs } from '../state/verbs.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { isLive } from '../ui/run-status-look.ts'

/** More than this is not thrown away by one press. US dollars. */
const CONFIRM_OVER_USD = 0.5

/** What can be done to a run in its state. Only Cancel is final, and asks where much would be lost. */
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
      {live && run.status !== 'queued' && !run.pausing && (
        <Button
          look={look}
          small={small}
          icon="pause"
          onPress={() => verbs.pause(run)}
          aria-label={`Pause ${name}`}
        >
          Pause
        </Button>
      )}
      {(paused || run.status === 'failed') && (
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

interface CancelActionProps {
  readonly run: RunRow
  /** The question stays open while the run ends. */
  readonly isPossible: boolean
  readonly small: boolean
}

function CancelAction({ run, isPossible, small }: CancelActionProps) {
  const verbs = useVerbs()
  const [asking, setAsking] = useState(false)
  const costly = run.subtree.runs > 2 || (run.subtree.costUsd ?? 0) > CONFIRM_OVER_USD
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
        action="Cancel it for good"
        onClose={() => setAsking(false)}
        onConfirm={() => verbs.cancel(run)}
      >
        {`It has spent ${costWords(run.subtree.costUsd)} with ${run.subtree.runs} runs. Pause keeps everything and can be continued; Cancel is final.`}
      </ConfirmDialog>
    </>
  )
}
