import type { ViewState } from 'offshoot/client'
import type { RunRow } from 'offshoot/protocol'
import { memo, useEffect, useRef } from 'react'
import { RunActions } from '../agents/run-actions.tsx'
import { RunLine } from '../agents/run-line.tsx'
import { Steps } from '../steps/steps.tsx'
import { useView } from '../state/conversation.tsx'
import { focusOpener } from '../ui/focus-opener.ts'
import { showPanel } from '../state/panels.ts'
import { branchPath, navigate } from '../state/route.ts'
import { runOfCall } from '../state/branch-lookup.ts'
import { Markdown } from '../markdown/markdown.tsx'
import { Button } from '../ui/button.tsx'
import { hueOf } from '../ui/format.ts'
import { Icon } from '../ui/icon.tsx'
import { isLive } from '../ui/run-status-look.ts'
import { useFold } from '../state/folds.ts'
import type { ToolEntry } from './transcript-items.ts'
import { ReportText } from './report-card.tsx'
import { ToolCard } from './tool-card.tsx'

/** Deeper cards are not indented further, but show their depth. */
const MAX_NESTING = 3

/** The subagent that a call started, or is about to start. */
export const SubagentCard = memo(({ entry }: { entry: ToolEntry }) => {
  const branchId = entry.branch?.id
  const { callId } = entry.part
  const run = useView((state) => (branchId ? runOfCall(state, branchId, callId) : null))
  if (!run) return <ToolCard entry={entry} />
  return <RunCard run={run} report={entry.result?.output} nesting={0} />
})

interface RunCardProps {
  readonly run: RunRow
  readonly report?: Output | undefined
  readonly nesting: number
}

export function RunCard({ run, report, nesting }: RunCardProps) {
  const [open, setOpen] = useFold(`run-${run.branchId}`)
  const view = () => navigate(branchPath(run.conversationId, run.branchId))
  return (
    <div className={hueOf(run.agent)} data-run={run.id}>
      <div className="touch:min-h-11 flex items-center gap-1 rounded-md pr-1 hover:bg-hover">
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="flex min-w-0 flex-1 items-center gap-1.5 rounded-md px-2 py-1 text-left text-sm"
        >
          <RunLine run={run}>
            {nesting >= MAX_NESTING && <span className="text-2xs text-ink-3">{`depth ${run.depth}`}</span>}
          </RunLine>
          <Icon name={open ? 'down' : 'right'} size={12} className="text-ink-3" />
        </button>
        <Button
          look="quiet"
          small
          onPress={view}
          data-opener={`branch-${run.branchId}`}
          aria-label={`View branch of ${run.agent}: ${run.task}`}
        >
          <span className="max-sm:hidden">View branch</span>
          <Icon name="eye" size={14} className="sm:hidden" />
        </Button>
      </div>
      {open && <Opened run={run} report={report} />}
      <NestedRuns run={run} nesting={nesting} />
    </div>
  )
}

type Output = NonNullable<ToolEntry['result']>['output']

/** The answer of the call: the report, or one line for a background subagent. */
function Answer({ output: { text, subagent } }: { output: Output }) {
  if (subagent?.type === 'report') return <ReportText report={subagent} text={text} />
  if (subagent) return <p className="text-xs text-ink-3">{text}</p>
  return (
    <div
      className="scrolls prose-reply max-h-60 overflow-y-auto rounded-md border border-line bg-panel px-3 py-2 text-sm!"
      tabIndex={0}
      role="region"
      aria-label="Report"
    >
      <Markdown text={text} />
    </div>
  )
}

function Opened({ run, report }: { run: RunRow; report: Output | undefined }) {
  const steps = useView((state) => state.steps[run.id])
  const window = useRef<HTMLDivElement>(null)
  useEffect(() => {
    window.current?.scrollTo({ top: window.current.scrollHeight })
  }, [steps])
  return (
    <div className="flex flex-col gap-1.5 py-1 pr-2 pl-7">
      {steps && steps.length > 0 && (
        <div ref={window} className="scrolls max-h-60 overflow-y-auto border-l-2 border-hue pl-2.5">
          <Steps calls={steps} />
        </div>
      )}
      {report && !isLive(run) && <Answer output={report} />}
      <div className="flex flex-wrap items-center gap-1">
        {run.toolCalls > 0 && (
          <Button look="quiet" small icon="list" onPress={() => showPanel('steps', run.id)}>
            {run.toolCalls === 1 ? '1 step' : `All ${run.toolCalls} steps`}
          </Button>
        )}
        <Button
          look="quiet"
          small
          icon="message"
          onPress={() => writeTo(run)}
          aria-label={`Message ${run.agent}: ${run.task}`}
          data-opener={`message-${run.branchId}`}
        >
          Message
        </Button>
        <RunActions run={run} small />
      </div>
    </div>
  )
}

/** Opens its branch with the cursor in the message field; Back leads here. */
function writeTo({ conversationId, branchId }: RunRow): void {
  navigate(branchPath(conversationId, branchId))
  focusOpener('composer')
}

function NestedRuns({ run, nesting }: { run: RunRow; nesting: number }) {
  const children = useView((state) => childRuns(state, run.id))
  if (children.length === 0) return null
  return (
    <div className={nesting < MAX_NESTING ? 'ml-3.5 border-l border-line pl-1.5' : ''}>
      {children.map((child) => (
        <RunCard key={child.branchId} run={child} nesting={nesting + 1} />
      ))}
    </div>
  )
}

/** The latest runs of the branches that a run has started. */
function childRuns(state: ViewState, runId: string): readonly RunRow[] {
  const children = Object.values(state.runs).filter((run) => run.parentRunId === runId)
  return children.filter((run) => (state.latestRuns[run.branchId] ?? run.id) === run.id)
}
