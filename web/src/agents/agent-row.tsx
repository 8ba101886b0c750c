import { agoWords, costWords, tokenWords } from 'offshoot/client'
import type { RunRow } from 'offshoot/protocol'
import { memo, useState } from 'react'
import { useView } from '../state/conversation.tsx'
import { closeSheet } from '../state/panels.ts'
import { branchPath, navigate } from '../state/route.ts'
import { AgentName } from '../ui/badge.tsx'
import { useStatus } from '../state/use-status.ts'
import { useNow } from '../ui/use-now.ts'
import { hueOf } from '../ui/format.ts'
import { RunMark, RunWord } from '../ui/run-mark.tsx'
import { detailOf, needsYou } from '../ui/run-status-look.ts'
import { RunActions } from './run-actions.tsx'
import { Elapsed, Until } from './run-line.tsx'
import { Steps } from '../steps/steps.tsx'

/** One agent: its task, then its activity, its figures and its actions. Space opens a preview. */
export const AgentRow = memo(({ run }: { run: RunRow }) => {
  const [peeked, setPeeked] = useState(false)
  const line = useStatus(run)
  const tokens = run.usage.input + run.usage.output
  const view = () => {
    closeSheet()
    navigate(branchPath(run.conversationId, run.branchId))
  }
  return (
    <li className={`rounded-lg px-2.5 py-1.5 hover:bg-hover ${hueOf(run.agent)}`} data-agent-run={run.id}>
      <button
        type="button"
        aria-expanded={peeked}
        onClick={() => setPeeked(!peeked)}
        className="flex w-full items-start gap-2 rounded text-left"
      >
        <span className="mt-0.5">
          <RunMark run={run} silent />
        </span>
        <span className="min-w-0 flex-1">
          <span className="sr-only">Peek: </span>
          <span dir="auto" className="block truncate text-sm font-medium">
            {run.task}
          </span>
          <span
            className={`block truncate text-xs ${needsYou(run) ? 'text-needs' : run.status === 'failed' ? 'text-failed' : 'text-ink-2'}`}
          >
            {detailOf(run, line)}
            <Until at={line.until} />
          </span>
          <span className="mt-0.5 block text-2xs text-ink-3 tabular-nums">
            <AgentName name={run.agent} />
            {' · '}
            <RunWord run={run} word={line.state} />
            <Elapsed run={run} lead=" · " />
            {` · ${run.turns}/${run.maxTurns} turns`}
            {tokens > 0 && ` · ${tokenWords(tokens)} tokens`}
            {run.costUsd !== 0 && ` · ${costWords(run.costUsd)}`}
            {run.endedAt !== null && <Age at={run.endedAt} />}
          </span>
        </span>
      </button>
      {peeked && <Peek run={run} />}
      <div className="mt-0.5 -ml-1.5 pl-[1.375rem]">
        <RunActions run={run} small onView={view} />
      </div>
    </li>
  )
})

function Age({ at }: { at: number }) {
  const words = agoWords(at, useNow())
  return (
    <>
      {' · '}
      <span className="whitespace-nowrap">{words}</span>
    </>
  )
}

/** The last known content, without leaving the page. */
function Peek({ run }: { run: RunRow }) {
  const steps = useView((state) => state.steps[run.id])
  const text = useView(
    (state) => state.branches[run.branchId]?.streaming?.parts.findLast((part) => part.type === 'text')?.text,
  )
  return (
    <div className="mt-1.5 ml-5 flex flex-col gap-1.5 border-l-2 border-hue pl-2.5">
      <p className="text-2xs text-ink-3">{run.model}</p>
      {steps && <Steps calls={steps} />}
      {text && <p className="line-clamp-4 text-xs wrap-anywhere text-ink-2">{text.slice(-400)}</p>}
      {!text && run.headline && <p className="text-xs wrap-anywhere text-ink-2">{run.headline}</p>}
      {!steps && !text && !run.headline && <p className="text-xs text-ink-3">Nothing yet.</p>}
    </div>
  )
}
