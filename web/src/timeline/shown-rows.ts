import type { LayoutRow, ViewState } from 'offshoot/client'
import type { TimelineState } from './use-timeline.ts'

export interface ShownRow extends LayoutRow {
  readonly hasChildren: boolean
  readonly isOpen: boolean
  /** When the run was queued or started. Milliseconds since the epoch. */
  readonly beganAt: number
}

interface Known {
  readonly state: Pick<TimelineState, 'timeline' | 'inputs'>
  /** Live runs have current costs; stored events report costs only when a run changes state. */
  readonly runs: ViewState['runs']
  /** Total cost of the conversation. */
  readonly costUsd: number | null
}

/** Filters out rows below a folded one. `rows` are in tree order. */
export function shownRows(
  rows: readonly LayoutRow[],
  folded: ReadonlySet<string>,
  known: Known,
): readonly ShownRow[] {
  const shown: ShownRow[] = []
  let below = Number.POSITIVE_INFINITY
  for (const [index, row] of rows.entries()) {
    if (row.level > below) continue
    const isOpen = !folded.has(row.runId)
    below = isOpen ? Number.POSITIVE_INFINITY : row.level
    const hasChildren = (rows[index + 1]?.level ?? 0) > row.level
    shown.push({ ...row, ...factsOf(row, known), isOpen, hasChildren })
  }
  return shown
}

function factsOf(row: LayoutRow, { state: { timeline, inputs }, runs, costUsd: whole }: Known) {
  const beganAt = timeline.get(row.runId)?.spans[0]?.from ?? 0
  const task = row.task === row.agent ? firstLine(inputs.get(row.runId) ?? '') : row.task
  const run = runs[row.runId]
  if (!run) return { beganAt, task }
  const { usage, costUsd } = run
  const share = costUsd === null || !whole ? null : costUsd / whole
  return { beganAt, task, inputTokens: usage.input, outputTokens: usage.output, costUsd, share }
}

/** A main run has no task of its own; its first input stands in. */
function firstLine(text: string): string {
  return text.trimStart().split('\n', 1)[0] ?? ''
}

/** The index of the parent row; -1 for a root. */
export function parentOf(rows: readonly ShownRow[], index: number): number {
  const level = rows[index]?.level ?? 0
  return rows.slice(0, index).findLastIndex((row) => row.level < level)
}
