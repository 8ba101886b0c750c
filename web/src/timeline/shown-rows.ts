import type { LayoutRow, ViewState } from 'offshoot/client'
import type { TimelineState } from './use-timeline.ts'

export interface ShownRow extends LayoutRow {
  readonly hasChildren: boolean
  readonly isOpen: boolean
  /** When it began, or began to wait for a slot. Milliseconds since the epoch. */
  readonly beganAt: number
}

interface Known {
  readonly state: Pick<TimelineState, 'timeline' | 'inputs'>
  /** They know what a run that goes on has spent by now; stored events tell it when its state changes. */
  readonly runs: ViewState['runs']
  /** Of everything. */
  readonly costUsd: number | null
}

/** Rows without what stands below a folded one. Rows come in the order of the tree. */
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

/** A main run has no task of its own but what it was asked. */
function firstLine(text: string): string {
  return text.trimStart().split('\n', 1)[0] ?? ''
}

/** The row above in the tree. */
export function parentOf(rows: readonly ShownRow[], index: number): number {
  const level = rows[index]?.level ?? 0
  return rows.slice(0, index).findLastIndex((row) => row.level < level)
}
