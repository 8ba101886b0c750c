import type { FamilyTree } from '../core/status-line/facts-around.ts'
import type { StatusLine, UnreadCounts } from '../core/status-line/status-line.ts'
import type { RunRow } from '../protocol/run.ts'
import { shared } from '../protocol/shared.ts'
import type { ViewState } from './view-state.ts'

type State = Pick<RunRow, 'status' | 'reason' | 'endReason' | 'queuePosition' | 'waitingFor' | 'pausing'>

export const { wasRefused } = shared

/** For a row of which only the state is known. */
const noTimes = { branchId: '', queuedAt: 0, startedAt: null, endedAt: null } as const

/** The state of a run from its row alone: `Done`, `Queued (number 2)`, `Paused (limit: max turns)`. */
export function stateWords(run: State): string {
  const { state, detail } = shared.statusLine({ ...noTimes, ...run })
  return run.status === 'paused' && detail !== null ? `${state} (${detail})` : state
}

type StatusState = Pick<
  ViewState,
  | 'runs'
  | 'latestRuns'
  | 'steps'
  | 'branches'
  | 'inbox'
  | 'queue'
  | 'slots'
  | 'approvals'
  | 'questions'
  | 'isDriven'
>

/** The current status line of a run's branch. Rows of other conversations bring their own. */
export function statusOf(state: StatusState, row: RunRow): StatusLine {
  const run = state.runs[row.id]
  if (!run) return row.statusLine ?? shared.statusLine(row)
  const known = state.branches[run.branchId]?.streaming
  const streaming = known?.runId === run.id ? known : undefined
  const asksOf = ({ id }: { readonly id: string }) =>
    [...state.approvals, ...state.questions].flatMap((ask) => (ask.runId === id ? [ask.id] : []))
  return shared.statusLine(run, {
    activity: shared.activityOf(
      state.steps[run.id] ?? [],
      streaming?.parts ?? [],
      streaming ? shared.timeOfId(streaming.messageId) : null,
    ),
    ...shared.factsAround(run, familyOf(state.runs), asksOf),
    asks: asksOf(run),
    unread: state.latestRuns[run.branchId] === run.id ? unreadOf(state, run) : undefined,
    queueLength: state.queue.length,
    queueLine: state.slots.line,
    isDriven: state.isDriven,
  })
}

function unreadOf({ inbox }: Pick<ViewState, 'inbox'>, run: RunRow): UnreadCounts {
  const items = inbox.filter((item) => item.branchId === run.branchId)
  const messages = items.filter(({ kind }) => kind === 'user').length
  return { reports: items.length - messages + (run.unreadReports ?? 0), messages }
}

/** Cached per state of the runs, because every drawn row reads it. */
const families = new WeakMap<ViewState['runs'], FamilyTree>()

function familyOf(runs: ViewState['runs']): FamilyTree {
  const known = families.get(runs)
  if (known) return known
  const ids = Object.keys(runs).toSorted() as (keyof typeof runs)[]
  const family = shared.familyTree(ids.map((id) => runs[id]!))
  families.set(runs, family)
  return family
}

/** Icon of a state, always shown beside the word. */
export function stateMark({ status, reason }: Pick<RunRow, 'status' | 'reason'>): string {
  if (status === 'waiting') return reason === 'approval' || reason === 'question' ? '⚑' : '◌'
  return { queued: '⧗', running: '◐', paused: '⏸', completed: '✓', failed: '✗', cancelled: '⊘' }[status]
}
