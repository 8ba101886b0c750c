import type { BranchView, CallView } from 'offshoot/client'
import type { RunRow } from 'offshoot/protocol'
import { useEffect } from 'react'
import { useConversationView, useView } from '../state/conversation.tsx'
import { usePanels } from '../state/panels.ts'
import { branchOf, runOf } from '../state/branch-lookup.ts'
import { useFold } from '../state/folds.ts'
import { AgentName } from '../ui/badge.tsx'
import { counted, hueOf } from '../ui/format.ts'
import { Icon } from '../ui/icon.tsx'
import { RunMark } from '../ui/run-mark.tsx'
import { showError } from '../ui/toasts.tsx'
import { Steps } from './steps.tsx'

/** Every tool call of a run and of what it started, collapsible by subagent. */
export function StepsPanel({ branchId }: { branchId: string }) {
  const { runId } = usePanels()
  const run = useView((state) => state.runs[runId as RunRow['id']] ?? runOf(state, branchId))
  if (!run) return <p className="px-4 py-6 text-center text-sm text-ink-3">Nothing has run here.</p>
  return (
    <section aria-label="Steps" className="px-3 py-2.5">
      <RunSteps run={run} level={0} />
    </section>
  )
}

function RunSteps({ run, level }: { run: RunRow; level: number }) {
  const [open, setOpen] = useFold(`steps-${run.branchId}`, level < 2)
  const children = useView((state) => Object.values(state.runs).filter((each) => each.parentRunId === run.id))
  return (
    <div className={hueOf(run.agent)}>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="touch:min-h-11 flex w-full items-center gap-2 rounded-md px-1.5 py-1 text-left text-sm hover:bg-hover"
      >
        <Icon name={open ? 'down' : 'right'} size={12} className="text-ink-3" />
        <RunMark run={run} />
        <AgentName name={run.agent} />
        <span className="min-w-0 flex-1 truncate">{run.task}</span>
        <span className="text-xs text-ink-3">{counted(run.toolCalls, 'call')}</span>
      </button>
      {open && (
        <div className="ml-3 border-l border-line pl-2.5">
          <BranchSteps branchId={run.branchId} />
          {children.map((child) => (
            <RunSteps key={child.id} run={child} level={level + 1} />
          ))}
        </div>
      )}
    </div>
  )
}

function BranchSteps({ branchId }: { branchId: BranchView['id'] }) {
  const view = useConversationView()
  const branch = useView((state) => branchOf(state, branchId))
  const missing = branch?.messages === null
  useEffect(() => {
    if (missing) view.loadBranch(branchId).catch(showError)
  }, [view, branchId, missing])
  const calls: readonly CallView[] = Object.values(branch?.calls ?? {}).toSorted((a, b) =>
    a.id < b.id ? -1 : 1,
  )
  if (calls.length === 0)
    return <p className="py-0.5 text-xs text-ink-3">{missing ? 'Loading…' : 'No calls.'}</p>
  return <Steps calls={calls} />
}
