import { durationWords, type BranchView, type CallView, type ViewState } from 'offshoot/client'
import type { RunRow } from 'offshoot/protocol'
import { useEffect, useState } from 'react'
import { useConversationView, useIsDriven, useLiveNow, useView } from '../state/conversation.tsx'
import { usePanels } from '../state/panels.ts'
import { branchOf, runOf } from '../state/branch-lookup.ts'
import { useStatus } from '../state/use-status.ts'
import { useFold } from '../state/folds.ts'
import { AgentName } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { counted, hueOf } from '../ui/format.ts'
import { Icon } from '../ui/icon.tsx'
import { RunMark } from '../ui/run-mark.tsx'
import { elapsedOf, isLive } from '../ui/run-status-look.ts'
import { showError } from '../ui/toasts.tsx'
import { Steps } from './steps.tsx'

/** Lists the tool calls of every run on a branch and of its subagents, collapsible by subagent. */
export function StepsPanel({ branchId }: { branchId: string }) {
  const { runId } = usePanels()
  const run = useView((state) => runOf(state, state.runs[runId as RunRow['id']]?.branchId ?? branchId))
  if (!run) return <p className="px-4 py-6 text-center text-sm text-ink-3">No runs yet</p>
  return (
    <section aria-label="Steps" className="px-3 py-2.5">
      <BranchSteps run={run} level={0} />
    </section>
  )
}

/** `run`: the latest run on the branch. */
function BranchSteps({ run, level }: { run: RunRow; level: number }) {
  const [open, setOpen] = useFold(`steps-${run.branchId}`, level < 2)
  const runs = useView((state) => runsOn(state, run.branchId))
  const line = useStatus(run)
  const calls = runs.reduce((sum, each) => sum + each.toolCalls, 0)
  return (
    <div className={hueOf(run.agent)}>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="touch:min-h-11 flex w-full items-center gap-2 rounded-md px-1.5 py-1 text-left text-sm hover:bg-hover"
      >
        <Icon name={open ? 'down' : 'right'} size={12} className="text-ink-3" />
        <RunMark run={run} word={line.state} />
        <AgentName name={run.agent} />
        <span className="min-w-0 flex-1 truncate">{run.task}</span>
        <span className="text-xs whitespace-nowrap text-ink-3 tabular-nums">
          {counted(calls, 'call')}
          <Took runs={runs} />
        </span>
      </button>
      {open && (
        <div className="ml-3 border-l border-line pl-2.5">
          <Calls runs={runs} level={level} />
        </div>
      )}
    </div>
  )
}

/** Adds up the runs' own times, without the gaps between them. Shows nothing for a live run that no process drives. */
function Took({ runs }: { runs: readonly RunRow[] }) {
  const isOpen = runs.some(isLive)
  const isDriven = useIsDriven()
  const now = useLiveNow(isOpen && isDriven)
  if (isOpen && !isDriven) return null
  return ` · ${durationWords(runs.reduce((sum, run) => sum + elapsedOf(run, now), 0))}`
}

function Calls({ runs, level }: { runs: readonly RunRow[]; level: number }) {
  const { branchId } = runs[0]!
  const branch = useView((state) => branchOf(state, branchId))
  const missing = useLoaded(branch, branchId)
  const calls = Object.values(branch?.calls ?? {}).toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return (
    <>
      {branch && branch.before !== null && <Earlier branchId={branchId} />}
      {missing && <p className="py-0.5 text-xs text-ink-3">Loading…</p>}
      {!missing && calls.length === 0 && <p className="py-0.5 text-xs text-ink-3">No tool calls</p>}
      {runs.map((run, index) => (
        <div key={run.id}>
          {runs.length > 1 && (
            <p className="pt-1 text-2xs text-ink-3">{`Run ${index + 1} of ${runs.length}`}</p>
          )}
          <RunCalls run={run} calls={calls.filter((call) => call.runId === run.id)} level={level} />
        </div>
      ))}
    </>
  )
}

function useLoaded(branch: BranchView | undefined, branchId: BranchView['id']): boolean {
  const view = useConversationView()
  const missing = branch?.messages === null
  useEffect(() => {
    if (missing) view.loadBranch(branchId).catch(showError)
  }, [view, branchId, missing])
  return missing
}

/** Loads the calls of older messages page by page. */
function Earlier({ branchId }: { branchId: BranchView['id'] }) {
  const view = useConversationView()
  const [loading, setLoading] = useState(false)
  const load = () => {
    setLoading(true)
    view
      .loadOlder(branchId)
      .catch(showError)
      .finally(() => setLoading(false))
  }
  return (
    <Button look="quiet" small isDisabled={loading} onPress={load}>
      Show earlier calls
    </Button>
  )
}

interface RunCallsProps {
  readonly run: RunRow
  readonly calls: readonly CallView[]
  readonly level: number
}

/** The calls of one run, each followed by the subagents it started. */
function RunCalls({ run, calls, level }: RunCallsProps) {
  const children = useView((state) => childrenOf(state, run))
  const ofCall = (call: CallView) => children.filter(({ callId }) => callId === call.id)
  const others = children.filter(({ callId }) => !calls.some(({ id }) => id === callId))
  return (
    <>
      {blocksOf(calls, (call) => ofCall(call).length > 0).map((block) => (
        <div key={block[0]!.id}>
          <Steps calls={block} />
          {ofCall(block.at(-1)!).map((child) => (
            <ChildSteps key={child.branchId} child={child} level={level} />
          ))}
        </div>
      ))}
      {others.map((child) => (
        <ChildSteps key={child.branchId} child={child} level={level} />
      ))}
    </>
  )
}

/** Splits the calls, in order, after each one that started a subagent. */
function blocksOf(calls: readonly CallView[], ends: (call: CallView) => boolean): readonly CallView[][] {
  const blocks: CallView[][] = []
  let isOpen = false
  for (const call of calls) {
    if (isOpen) blocks.at(-1)!.push(call)
    else blocks.push([call])
    isOpen = !ends(call)
  }
  return blocks
}

/** `child`: the first run on its branch. */
function ChildSteps({ child, level }: { child: RunRow; level: number }) {
  const run = useView((state) => runOf(state, child.branchId) ?? child)
  return <BranchSteps run={run} level={level + 1} />
}

function runsOn(state: ViewState, branchId: RunRow['branchId']): readonly RunRow[] {
  return Object.values(state.runs)
    .filter((run) => run.branchId === branchId)
    .toSorted(byAge)
}

/** The first run of each branch that a run started. */
function childrenOf(state: ViewState, { id, branchId }: RunRow): readonly RunRow[] {
  const seen = new Set<string>([branchId])
  return Object.values(state.runs)
    .toSorted(byAge)
    .filter((run) => {
      const isFirst = !seen.has(run.branchId)
      seen.add(run.branchId)
      return isFirst && run.parentRunId === id
    })
}

function byAge(a: RunRow, b: RunRow): number {
  return a.id < b.id ? -1 : 1
}
