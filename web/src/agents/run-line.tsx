import { costWords, durationWords } from 'offshoot/client'
import type { RunRow } from 'offshoot/protocol'
import type { ReactNode } from 'react'
import { AgentName } from '../ui/badge.tsx'
import { useStatus } from '../state/use-status.ts'
import { useIsDriven, useLiveNow } from '../state/conversation.tsx'
import { counted, hueOf } from '../ui/format.ts'
import { RunMark } from '../ui/run-mark.tsx'
import { elapsedOf, isLive, lineOf, needsYou } from '../ui/run-status-look.ts'

/** A subagent on one line: state, agent, task, activity, duration, cost. */
export function RunLine({ run, children }: { run: RunRow; children?: ReactNode }) {
  const needs = needsYou(run)
  const line = useStatus(run)
  return (
    <span className={`flex min-w-0 flex-1 items-center gap-2 ${hueOf(run.agent)}`}>
      <RunMark run={run} word={line.state} />
      <AgentName name={run.agent} className="shrink-0" />
      <span className="min-w-0 flex-1 max-sm:line-clamp-3 sm:truncate">
        <bdi className="text-ink">{run.task}</bdi>{' '}
        <span
          className={`ml-1 text-xs ${needs ? 'text-needs' : run.status === 'failed' ? 'text-failed' : 'text-ink-3'}`}
        >
          {lineOf(run, line)}
          <Until at={line.until} />
        </span>
      </span>
      <RunFigures run={run} />
      {children}
    </span>
  )
}

/** For the run alone, unless the label includes its subagents. */
function RunFigures({ run }: { run: RunRow }) {
  const figures = [
    run.toolCalls > 0 && counted(run.toolCalls, 'tool call'),
    run.costUsd !== 0 && costWords(run.costUsd),
    run.subtree.runs > 1 && run.subtree.costUsd !== 0 && `${costWords(run.subtree.costUsd)} with subagents`,
  ]
  return (
    <span className="shrink-0 text-end text-xs whitespace-nowrap text-ink-3 tabular-nums">
      <span className="hidden sm:inline">{figures.filter(Boolean).map((each) => `${String(each)} · `)}</span>
      {/* on a phone, an unknown price would replace the task */}
      {run.costUsd !== 0 && run.costUsd !== null && (
        <span className="block sm:hidden">{costWords(run.costUsd)}</span>
      )}
      <Elapsed run={run} />
    </span>
  )
}

/** When it continues by itself. */
export function Until({ at }: { at: number | null }) {
  const now = useLiveNow(at !== null)
  if (at === null) return null
  return (
    <span className="tabular-nums">{`, tries again ${at > now ? `in ${durationWords(at - now)}` : 'now'}`}</span>
  )
}

/** How long it has waited. Nothing, not even `lead`, if that is unknown. */
export function Elapsed({ run, lead = '' }: { run: RunRow; lead?: string }) {
  const isDriven = useIsDriven()
  const now = useLiveNow(isLive(run) && isDriven)
  if (isLive(run) && !isDriven) return null // its process has exited: no time passes for it
  const since = run.waitingFor?.since
  if (needsYou(run) && since !== undefined) return `${lead}waiting ${durationWords(now - since)}`
  return `${lead}${durationWords(elapsedOf(run, now))}`
}
