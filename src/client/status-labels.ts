import type { ChildrenOfBranches, ChildRun } from '../core/status-line/child-counts.ts'
import type { StatusLine } from '../core/status-line/status-line.ts'
import type { RunRow } from '../protocol/run.ts'
import { shared } from '../protocol/shared.ts'
import type { ViewState } from './view-state.ts'

type State = Pick<RunRow, 'status' | 'reason' | 'endReason' | 'queuePosition' | 'waitingFor' | 'pausing'>

/** Of a row of which only the state is known. */
const noTimes = { branchId: '', queuedAt: 0, startedAt: null, endedAt: null } as const

/** The state of a run of which nothing but its row is known: `Done`, `Queued (number 2)`, `Paused (limit: max turns)`. */
export function stateWords(run: State): string {
  const { state, detail } = shared.statusLine({ ...noTimes, ...run })
  return run.status === 'paused' && detail !== null ? `${state} (${detail})` : state
}

type StatusState = Pick<
  ViewState,
  'runs' | 'latestRuns' | 'steps' | 'branches' | 'queue' | 'slots' | 'approvals' | 'questions' | 'isDriven'
>

/** The status line of the branch of a run, as it is now. A row of another conversation brings its own. */
export function statusOf(state: StatusState, row: RunRow): StatusLine {
  const run = state.runs[row.id]
  if (!run) return row.statusLine ?? shared.statusLine(row)
  const isLatest = state.latestRuns[run.branchId] === run.id
  const streaming = state.branches[run.branchId]?.streaming
  return shared.statusLine(run, {
    activity: shared.activityOf(
      state.steps[run.id] ?? [],
      streaming?.runId === run.id ? streaming.parts : [],
    ),
    children: isLatest ? childrenOf(state.runs, run.branchId) : [],
    asks: [...state.approvals, ...state.questions].flatMap((ask) => (ask.runId === run.id ? [ask.id] : [])),
    queueLength: state.queue.length,
    queueLine: state.slots.line,
    isDriven: state.isDriven,
  })
}

/** Of one state of the runs: read for each row that is drawn. */
const known = new WeakMap<ViewState['runs'], ChildrenOfBranches>()

function childrenOf(runs: ViewState['runs'], branchId: string): readonly ChildRun[] {
  const all = known.get(runs) ?? shared.childrenByBranch(Object.values(runs))
  known.set(runs, all)
  return all.get(branchId) ?? []
}

/** Icon of a state; the word always stands beside it. */
export function stateMark({ status, reason }: Pick<RunRow, 'status' | 'reason'>): string {
  if (status === 'waiting') return reason === 'approval' || reason === 'question' ? '⚑' : '◌'
  return { queued: '⧗', running: '◐', paused: '⏸', completed: '✓', failed: '✗', cancelled: '⊘' }[status]
}
