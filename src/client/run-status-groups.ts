import type { BranchId, RunId } from '../core/ids.ts'
import type { ApprovalRow, QuestionRow } from '../protocol/approvals-and-questions.ts'
import type { InboxItem } from '../protocol/inbox.ts'
import type { RunRow } from '../protocol/run.ts'
import type { BranchView, ViewState } from './view-state.ts'

export const groupNames = ['needsYou', 'running', 'queued', 'paused', 'done'] as const
export type GroupName = (typeof groupNames)[number]
export type RunGroups = Readonly<Record<GroupName, readonly RunRow[]>>

type OpenAsks = Pick<ViewState, 'approvals' | 'questions'>

type Branches = Readonly<Record<BranchId, Pick<BranchView, 'kind'>>>

/**
 * The agents of a conversation, grouped by what to do about them: the latest run of each subagent, and of each fork
 * until it completes or is cancelled. The longest open ask comes first, then the latest start; for ended runs, the
 * latest end. Includes the main agent while it asks.
 */
export function runGroups(
  state: OpenAsks & Pick<ViewState, 'runs' | 'latestRuns' | 'queue'> & { readonly branches: Branches },
): RunGroups {
  const asking = askingRuns(state)
  const groups: Record<GroupName, RunRow[]> = { needsYou: [], running: [], queued: [], paused: [], done: [] }
  for (const id of Object.values(state.latestRuns)) {
    const run = state.runs[id]
    const isShown = run && (run.depth > 0 || asking.includes(id) || isOpenFork(state.branches, run))
    if (isShown) groups[groupOf(run, asking)].push(run)
  }
  return {
    needsYou: groups.needsYou.toSorted((a, b) => asking.indexOf(a.id) - asking.indexOf(b.id)),
    running: groups.running.toSorted(newestFirst),
    queued: groups.queued.toSorted((a, b) => (a.queuePosition ?? 0) - (b.queuePosition ?? 0)),
    paused: groups.paused.toSorted(lastEndedFirst),
    done: groups.done.toSorted(lastEndedFirst),
  }
}

function isOpenFork(branches: Branches, { branchId, status }: RunRow): boolean {
  return branches[branchId]?.kind === 'fork' && status !== 'completed' && status !== 'cancelled'
}

/** For the button, the window title and the favicon. */
export function badge(groups: RunGroups): { readonly needsYou: number; readonly running: number } {
  return { needsYou: groups.needsYou.length, running: groups.running.length }
}

function askingRuns({ approvals, questions }: OpenAsks): readonly RunId[] {
  const asks = [
    ...approvals.map(({ runId, requestedAt: at }) => ({ runId, at })),
    ...questions.map(({ runId, askedAt: at }) => ({ runId, at })),
  ]
  return [...new Set(asks.toSorted((a, b) => a.at - b.at).map(({ runId }) => runId))]
}

function groupOf(run: RunRow, asking: readonly RunId[]): GroupName {
  if (asking.includes(run.id)) return 'needsYou'
  switch (run.status) {
    case 'running':
    case 'waiting':
      return 'running'
    case 'queued':
      return 'queued'
    case 'paused':
      return 'paused'
    case 'completed':
    case 'failed':
    case 'cancelled':
      return 'done'
  }
}

function newestFirst(a: RunRow, b: RunRow): number {
  return a.id < b.id ? 1 : -1
}

function lastEndedFirst(a: RunRow, b: RunRow): number {
  return (b.endedAt ?? 0) - (a.endedAt ?? 0) || newestFirst(a, b)
}

/** Open asks on a branch and all branches below it. */
export function asksBelow(
  state: OpenAsks & Pick<ViewState, 'branches'>,
  branchId: BranchId,
): { readonly approvals: readonly ApprovalRow[]; readonly questions: readonly QuestionRow[] } {
  const isBelow = (id: BranchId): boolean => {
    for (let at: BranchId | null = id; at !== null; at = state.branches[at]?.parentBranchId ?? null)
      if (at === branchId) return true
    return false
  }
  return {
    approvals: state.approvals.filter((ask) => isBelow(ask.branchId)),
    questions: state.questions.filter((ask) => isBelow(ask.branchId)),
  }
}

/** What the model of a branch reads next, in order. */
export function inboxOf({ inbox }: Pick<ViewState, 'inbox'>, branchId: BranchId): readonly InboxItem[] {
  return inbox.filter((item) => item.branchId === branchId)
}

/** Remaining budget of a conversation. null: no cap, or a price is unknown. */
export function budgetLeft({ budget, totals }: Pick<ViewState, 'budget' | 'totals'>) {
  const { costUsd, usage } = totals
  return {
    usd: budget.usd === null || costUsd === null ? null : Math.max(0, budget.usd - costUsd),
    tokens: budget.tokens === null ? null : Math.max(0, budget.tokens - usage.input - usage.output),
  }
}
