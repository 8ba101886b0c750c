import type { CallRow } from 'offshoot/protocol'
import type { ViewState } from 'offshoot/client'
import { useView } from '../state/conversation.tsx'
import { spanWords } from '../timeline/timeline-labels.ts'
import { Icon } from '../ui/icon.tsx'
import { iconOf } from '../ui/tool-icon.ts'
import { useNow } from '../ui/use-now.ts'

/** Tool calls, one a line, as short as they can be read. */
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
  const word = useView((state) => stepWord(state, call))
  const stoppedAt = useView(({ runs }) =>
    call.status === 'running' ? (runs[call.runId]?.endedAt ?? null) : null,
  )
  return (
    <li className="flex items-center gap-2 py-0.5 text-xs">
      <StepIcon call={call} word={word} />
      <span className="min-w-0 flex-1 truncate font-mono text-2xs text-ink-2" title={call.title}>
        {call.title}
      </span>
      <span className="shrink-0 text-2xs text-ink-3 tabular-nums">
        {word !== '' && `${word} · `}
        <Took call={call} stoppedAt={stoppedAt} />
      </span>
    </li>
  )
}

/** `stoppedAt`: of a run that has stopped with a call open, which goes on with it. */
function Took({ call, stoppedAt }: { call: CallRow; stoppedAt: number | null }) {
  const endedAt = call.endedAt ?? stoppedAt
  const now = useNow(endedAt === null)
  return spanWords(Math.max(0, (endedAt ?? now) - call.startedAt))
}

function StepIcon({ call, word }: { call: CallRow; word: string }) {
  if (word === 'paused') return <Icon name="pause" size={12} className="text-paused" />
  if (call.status === 'running') return <Icon name="running" size={12} className="spin text-running" />
  if (call.status === 'awaiting_approval') return <Icon name="flag" size={12} className="text-needs" />
  if (word === 'cancelled' || word === 'interrupted')
    return <Icon name="stop" size={12} className="text-ink-3" />
  const bad = call.status === 'failed' || call.status === 'denied' || call.status === 'unknown'
  return (
    <Icon name={bad ? 'x' : iconOf(call.tool)} size={12} className={bad ? 'text-failed' : 'text-ink-3'} />
  )
}

/** '' where the time says enough. */
function stepWord({ runs }: Pick<ViewState, 'runs'>, call: CallRow): string {
  switch (call.status) {
    case 'completed':
      return ''
    case 'running':
      return runs[call.runId]?.status === 'paused' ? 'paused' : ''
    case 'awaiting_approval':
      return 'needs you'
    case 'skipped':
      return 'not run'
    case 'failed':
      return stopWord(runs, call) ?? 'failed'
    case 'pending':
    case 'denied':
    case 'unknown':
      return call.status
  }
}

/** A call that did not fail: it was stopped with its run, or the subagent that it had started was cancelled. */
function stopWord(runs: ViewState['runs'], { id, runId, error }: CallRow): string | undefined {
  if (error?.code === 'interrupted') return runs[runId]?.status === 'cancelled' ? 'cancelled' : 'interrupted'
  if (error !== null) return undefined
  const child = Object.values(runs).find(({ callId }) => callId === id)
  return child?.status === 'cancelled' ? 'cancelled' : undefined
}
