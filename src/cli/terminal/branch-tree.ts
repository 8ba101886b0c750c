import type { Branch } from '../../core/conversation.ts'
import type { BranchId, RunId } from '../../core/ids.ts'
import type { StoredRun } from '../../core/run.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import { turnsText } from '../../core/turn-figures.ts'
import { addCost } from '../../core/usage.ts'
import { withCountedCalls } from '../../runtime/views/counted-calls.ts'
import type { Reader } from '../../store/port.ts'
import type { StatusLine } from '../../core/status-line/status-line.ts'
import { factLines } from './hanging-lines.ts'
import { terminalMark } from './progress/agent-icons.ts'
import { statusText, verbText } from './status-text.ts'

/** A branch with what was done on it, and how deep it stands below the first one. */
export interface BranchNode {
  readonly branch: Branch
  readonly depth: number
  /** Oldest first. */
  readonly runs: readonly StoredRun[]
}

/** A branch and everything below it, or all branches of a conversation: parents first, siblings by age. */
export function readBranchTree(
  store: Reader,
  of: Pick<Branch, 'conversationId'>,
  root?: BranchId,
): BranchNode[] {
  const where = { conversationId: of.conversationId }
  const branches = store.find('branches', { where, orderBy: 'id' })
  const runs = store.find('runs', { where, orderBy: 'id' }).map((run) => withCountedCalls(store, run))
  const below = Map.groupBy(branches, (branch) => branch.parentBranchId)
  const runsOf = Map.groupBy(runs, (run) => run.branchId)
  const first = branches.filter((branch) => (root ? branch.id === root : branch.parentBranchId === null))
  const tree: BranchNode[] = []
  const open = first.map((branch) => ({ branch, depth: 0 })).reverse()
  for (let next = open.pop(); next; next = open.pop()) {
    const { branch, depth } = next
    tree.push({ branch, depth, runs: runsOf.get(branch.id) ?? [] })
    const children = below.get(branch.id) ?? []
    for (const child of children.toReversed()) open.push({ branch: child, depth: depth + 1 })
  }
  return tree
}

/** Of agents that have one, by name. */
export type Icons = ReadonlyMap<string, string>

/** Deeper branches stand below each other, with their depth as a number. */
const MAX_INDENT = 8

const MARKS: Readonly<Record<string, string>> = { main: '●', fork: '⑂' }

/** What the line of a branch is drawn with. */
export interface BranchLineStyle {
  /** Says what a paused branch needs to continue. */
  readonly store: Reader
  readonly icons?: Icons
  /** By the latest run of each branch. */
  readonly lines: ReadonlyMap<RunId, StatusLine>
  readonly now: number
  /** Infinity: a branch has one line. */
  readonly columns: number
}

/**
 * One branch: mark, label, agent, status line, figures, id, and what helps. The figures are those of all runs of the
 * branch. The mark of a subagent is its icon.
 */
export function branchLines(
  { branch, depth, runs }: BranchNode,
  style: BranchLineStyle,
  before = '',
): string[] {
  const { kind, label, agent, id } = branch
  const margin = '  '.repeat(Math.min(depth, MAX_INDENT))
  const indent = `${before}${margin}${depth > MAX_INDENT ? `${depth} ` : ''}`
  const named = label === agent ? label : `${label} (${agent})`
  const last = runs.at(-1)
  const line = last && style.lines.get(last.id)
  const status = last && line ? [statusText(line, last, style.now)] : []
  const facts = [
    terminalLine(named),
    ...status,
    ...figures(runs),
    id,
    ...(line ? verbText(line, style.store) : []),
  ]
  const own = kind === 'subagent' ? terminalMark(style.icons?.get(agent)) : MARKS[kind]
  const first = `${indent}${own ?? `◇ ${terminalLine(kind)}`} `
  return factLines(facts, style.columns, { first, rest: `${margin}    ` })
}

function figures(runs: readonly StoredRun[]): string[] {
  if (runs.length === 0) return ['no run yet']
  const tools = runs.reduce((sum, run) => sum + run.toolCalls, 0)
  const costUsd = runs.map((run) => run.costUsd).reduce(addCost)
  return [turnsText(runs), toolsText(tools), ...costText(costUsd)]
}

export function toolsText(tools: number): string {
  return `${tools} ${tools === 1 ? 'tool' : 'tools'}`
}

/** `paused (limit)`. */
export function stateText({ status, reason }: Pick<StoredRun, 'status' | 'reason'>): string {
  return reason ? `${status} (${reason})` : status
}

/** Nothing where it cost nothing. */
export function costText(costUsd: number | null): string[] {
  if (costUsd === 0) return []
  return [costUsd === null ? 'cost unknown' : `$${costUsd.toFixed(3)}`]
}
