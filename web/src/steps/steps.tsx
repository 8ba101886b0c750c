import { durationWords } from 'offshoot/client'
import type { CallRow } from 'offshoot/protocol'
import { Icon } from '../ui/icon.tsx'
import { iconOf } from '../ui/tool-icon.ts'

/** Tool calls, one a line, as short as they can be read. */
export function Steps({ calls }: { calls: readonly CallRow[] }) {
  return (
    <ol className="flex flex-col">
      {calls.map((call) => (
        <li key={call.id} className="flex items-center gap-2 py-0.5 text-xs">
          <StepIcon call={call} />
          <span className="min-w-0 flex-1 truncate font-mono text-2xs text-ink-2" title={call.title}>
            {call.title}
          </span>
          <span className="shrink-0 text-2xs text-ink-3 tabular-nums">{stepWord(call)}</span>
        </li>
      ))}
    </ol>
  )
}

function StepIcon({ call }: { call: CallRow }) {
  if (call.status === 'running') return <Icon name="running" size={12} className="spin text-running" />
  if (call.status === 'awaiting_approval') return <Icon name="flag" size={12} className="text-needs" />
  const bad = call.status === 'failed' || call.status === 'denied' || call.status === 'unknown'
  return (
    <Icon name={bad ? 'x' : iconOf(call.tool)} size={12} className={bad ? 'text-failed' : 'text-ink-3'} />
  )
}

function stepWord({ status, startedAt, endedAt }: CallRow): string {
  switch (status) {
    case 'completed':
      return endedAt === null ? '' : durationWords(endedAt - startedAt)
    case 'awaiting_approval':
      return 'needs you'
    case 'skipped':
      return 'not run'
    case 'pending':
    case 'running':
    case 'failed':
    case 'denied':
    case 'unknown':
      return status
  }
}
