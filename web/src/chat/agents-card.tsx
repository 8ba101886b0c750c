import { durationWords } from 'offshoot/client'
import type { RunRow } from 'offshoot/protocol'
import { useIsDriven, useLiveNow, useView } from '../state/conversation.tsx'
import { runOfCall } from '../state/branch-lookup.ts'
import { counted } from '../ui/format.ts'
import { isLive, needsYou } from '../ui/run-status-look.ts'
import type { ToolEntry } from './transcript-items.ts'
import { SubagentCard } from './subagent-card.tsx'

/** The subagents of one turn. */
export function AgentsCard({ entries }: { entries: readonly ToolEntry[] }) {
  return (
    <section
      aria-label={counted(entries.length, 'subagent')}
      className="rounded-xl border border-line bg-raised p-1"
    >
      {entries.length > 1 && <AgentsHeader entries={entries} />}
      {entries.map((entry) => (
        <SubagentCard key={entry.part.id} entry={entry} />
      ))}
    </section>
  )
}

function AgentsHeader({ entries }: { entries: readonly ToolEntry[] }) {
  const mine = useView((state) =>
    entries.flatMap(({ branch, part }) => (branch && runOfCall(state, branch.id, part.callId)) ?? []),
  )
  const isDriven = useIsDriven()
  const open = mine.filter(isLive)
  const live = isDriven && open.length > 0
  const now = useLiveNow(live)
  const started = Math.min(...mine.map((run) => run.startedAt ?? run.queuedAt))
  const ended = live ? now : Math.max(...mine.map((run) => run.endedAt ?? 0))
  const took = mine.length > 0 ? durationWords(ended - started) : ''
  return (
    <header className="flex items-baseline gap-2 px-2 pt-1 pb-1.5 text-sm">
      <h3 className="font-semibold">{headOf(mine, { count: entries.length, isDriven })}</h3>
      <p className="flex-1 truncate text-xs text-ink-3">
        {open.length > 0 || mine.some(isNotDone) ? countsOf(mine) : `in ${took}`}
      </p>
      {(live || (open.length === 0 && mine.some(isNotDone))) && (
        <p className="text-xs text-ink-3 tabular-nums">{took}</p>
      )}
    </header>
  )
}

interface Heading {
  readonly count: number
  readonly isDriven: boolean
}

/** If some have stopped, only the others run. */
function headOf(runs: readonly RunRow[], { count, isDriven }: Heading): string {
  const open = runs.filter(isLive).length
  const stopped = runs.length - open
  if (open > 0 && !isDriven) return `${count} agents left behind`
  if (open > 0) return `Running ${stopped > 0 ? `${count - stopped} of ${count}` : count} agents`
  return `${count} agents ${runs.some(({ status }) => status === 'paused') ? 'stopped' : 'finished'}`
}

function isNotDone({ status }: RunRow): boolean {
  return status !== 'completed'
}

function countsOf(runs: readonly RunRow[]): string {
  const count = (test: (run: RunRow) => boolean, word: string) => {
    const found = runs.filter(test).length
    return found === 0 ? [] : [`${found} ${word}`]
  }
  return [
    ...count(needsYou, 'waiting for you'),
    ...count((run) => !needsYou(run) && (run.status === 'running' || run.status === 'waiting'), 'running'),
    ...count((run) => run.status === 'queued', 'queued'),
    ...count((run) => run.status === 'paused', 'paused'),
    ...count((run) => run.status === 'completed', 'done'),
    ...count((run) => run.status === 'failed', 'failed'),
    ...count((run) => run.status === 'cancelled', 'cancelled'),
  ].join(' · ')
}
