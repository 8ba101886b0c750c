import type { CallRow } from 'offshoot/protocol'
import type { CallEnd } from 'offshoot/client'
import { useIsDriven, useLiveNow, useView } from '../state/conversation.tsx'
import { isBadEnd } from '../state/end-of-call.ts'
import { useCallEnd } from '../state/use-call-end.ts'
import { spanWords } from '../timeline/timeline-labels.ts'
import { Icon } from '../ui/icon.tsx'
import { iconOf } from '../ui/tool-icon.ts'

/** Compact list of tool calls, one per line. */
export function Steps({ calls }: { calls: readonly CallRow[] }) {
  return (
    <ol className="flex flex-col">
      {calls.map((call) => (
        <Step key={call.id} call={call} />
      ))}
    </ol>
  )
}

function Step({ call }: { call: CallRow }) {
  const end = useCallEnd({ id: call.id, tool: call.tool, call })
  const isPaused = useView(({ runs }) => runs[call.runId]?.status === 'paused')
  const isLeft = !useIsDriven() && call.endedAt === null && !isPaused
  const word = isLeft ? 'left behind' : stepWord(end, isPaused)
  const stoppedAt = useView(({ runs }) =>
    call.status === 'running' ? (runs[call.runId]?.endedAt ?? null) : null,
  )
  return (
    <li className="flex items-center gap-2 py-0.5 text-xs">
      <StepIcon call={call} end={end} stands={isPaused || isLeft} />
      <span className="min-w-0 flex-1 truncate font-mono text-2xs text-ink-2" title={call.title}>
        {call.title}
      </span>
      <span className="shrink-0 text-2xs text-ink-3 tabular-nums">
        {isLeft ? (
          word
        ) : (
          <>
            {word !== '' && `${word} · `}
            <Took call={call} stoppedAt={stoppedAt} />
          </>
        )}
      </span>
    </li>
  )
}

/** `stoppedAt`: when the run stopped, if it left this call open and can resume it. */
function Took({ call, stoppedAt }: { call: CallRow; stoppedAt: number | null }) {
  const endedAt = call.endedAt ?? stoppedAt
  const now = useLiveNow(endedAt === null)
  return spanWords(Math.max(0, (endedAt ?? now) - call.startedAt))
}

/** `stands`: the call is open but no process works on it. */
function StepIcon({ call, end, stands }: { call: CallRow; end: CallEnd; stands: boolean }) {
  const { kind } = end
  if (kind === 'paused' || (kind === 'running' && stands))
    return <Icon name="pause" size={12} className="text-paused" />
  if (kind === 'running') return <Icon name="running" size={12} className="spin text-running" />
  if (kind === 'awaiting_approval') return <Icon name="flag" size={12} className="text-needs" />
  if (kind === 'cancelled' || kind === 'interrupted')
    return <Icon name="stop" size={12} className="text-ink-3" />
  const bad = isBadEnd(end)
  return (
    <Icon name={bad ? 'x' : iconOf(call.tool)} size={12} className={bad ? 'text-failed' : 'text-ink-3'} />
  )
}

/** Returns '' when the duration alone is enough. */
function stepWord({ kind, words }: CallEnd, isPaused: boolean): string {
  switch (kind) {
    case 'completed':
      return ''
    case 'running':
      return isPaused ? 'paused' : ''
    case 'awaiting_approval':
      return 'needs you'
    default:
      return words
  }
}
