import type { BranchId, MessageId } from '../core/ids.ts'
import type { RunRow } from '../protocol/run.ts'
import { shared } from '../protocol/shared.ts'
import type { BranchView, ViewState } from './view-state.ts'

export interface BranchNode {
  readonly branch: BranchView
  /** The latest run on it; null: none yet. */
  readonly run: RunRow | null
  readonly depth: number
  /** Oldest first. */
  readonly children: readonly BranchNode[]
}

/** The top branches of a conversation: usually only its main branch. */
export function branchTree(
  state: Pick<ViewState, 'branches' | 'runs' | 'latestRuns'>,
): readonly BranchNode[] {
  const all = byAge(Object.values(state.branches))
  const below = Map.groupBy(all, ({ parentBranchId }) =>
    parentBranchId !== null && state.branches[parentBranchId] ? parentBranchId : null,
  )
  const node = (branch: BranchView, depth: number): BranchNode => ({
    branch,
    run: latestRun(state, branch.id),
    depth,
    children: (below.get(branch.id) ?? []).map((child) => node(child, depth + 1)),
  })
  return (below.get(null) ?? []).map((branch) => node(branch, 0))
}

export function latestRun(state: Pick<ViewState, 'runs' | 'latestRuns'>, branchId: BranchId): RunRow | null {
  const id = state.latestRuns[branchId]
  return (id && state.runs[id]) || null
}

/** The branches from the main one to this one. */
export function breadcrumb(state: Pick<ViewState, 'branches'>, branchId: BranchId): readonly BranchView[] {
  const line: BranchView[] = []
  for (let id: BranchId | null = branchId; id !== null;) {
    const branch: BranchView | undefined = state.branches[id]
    if (!branch || line.includes(branch)) break
    line.unshift(branch)
    id = branch.parentBranchId
  }
  return line
}

/** Subagents that the same turn or person started, including this one; oldest first. */
export function siblings(state: Pick<ViewState, 'branches'>, branchId: BranchId): readonly BranchView[] {
  const branch = state.branches[branchId]
  if (!branch || branch.parentBranchId === null) return branch ? [branch] : []
  const isBeside = ({ kind, parentBranchId }: BranchView) =>
    kind === branch.kind && parentBranchId === branch.parentBranchId
  return byAge(Object.values(state.branches).filter(isBeside))
}

export interface Versions {
  /** The branches with another version here, oldest first, including the one in view. */
  readonly branches: readonly BranchId[]
  /** Index of the branch in view: 0, 1, 2, ... */
  readonly index: number
}

/**
 * The versions of a message: on its branch, and on every fork that leaves just before it. `before`: the previous
 * message on the path in view, null for the first message. Returns null if there is only one version.
 */
export function versionsAt(
  state: Pick<ViewState, 'branches'>,
  branchId: BranchId,
  before: MessageId | null,
): Versions | null {
  const inView = state.branches[branchId]
  if (!inView) return null
  const isFirstOfFork = inView.kind === 'fork' && inView.originMessageId === before
  const left = isFirstOfFork ? inView.parentBranchId : branchId
  const forks = byAge(Object.values(state.branches)).filter(
    ({ kind, originMessageId, parentBranchId }) =>
      kind === 'fork' && originMessageId === before && (before !== null || parentBranchId === left),
  )
  if (forks.length === 0 || left === null) return null
  const branches = [left, ...forks.map(({ id }) => id)]
  return { branches, index: branches.indexOf(branchId) }
}

/** What the model of a branch sees: each ancestor up to and including a message, then the whole branch. */
export function lineage(
  state: Pick<ViewState, 'branches'>,
  branchId: BranchId,
): readonly { readonly branchId: BranchId; readonly upTo: MessageId | null }[] {
  const line = breadcrumb(state, branchId)
  const from = line.findLastIndex((branch) => !branch.inheritContext)
  return line.slice(Math.max(0, from)).map((branch, i, shown) => ({
    branchId: branch.id,
    upTo: shown[i + 1]?.originMessageId ?? null,
  }))
}

/**
 * The number of the message at which a branch starts; undefined if it starts at none, or that message is not loaded.
 */
export function originNumber(
  { branches }: Pick<ViewState, 'branches'>,
  { parentBranchId, originMessageId }: Pick<BranchView, 'parentBranchId' | 'originMessageId'>,
): number | undefined {
  const { messages, systemsBefore = 0 } = (parentBranchId && branches[parentBranchId]) || {}
  if (!messages?.[0] || originMessageId === null) return undefined
  return shared.messageNumbers(messages, messages[0].position - systemsBefore).get(originMessageId)
}

function byAge(branches: readonly BranchView[]): readonly BranchView[] {
  return branches.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}
