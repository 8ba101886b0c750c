import { createWorkspace } from '../../tools/workspace.ts'
import type { Io } from '../io.ts'
import { factLines } from './hanging-lines.ts'
import { cutToWidth, drawable, padToWidth, widthOf } from './progress/text-width.ts'

export interface TableColumn {
  readonly title: string
  /** Its cells are cut where the table is too wide. */
  readonly isFlexible?: true
}

/** A row, and lines below it that are broken between their facts. */
export interface TableRow {
  readonly cells: readonly string[]
  readonly facts?: readonly string[]
}

/** Whether a column with these directories would repeat the current one. */
export function areHere(directories: readonly string[], { cwd }: Pick<Io, 'cwd'>): boolean {
  const here = createWorkspace(cwd).root
  return directories.every((each) => each === here)
}

const GAP = '  '
const MIN_FLEXIBLE = 8

/** A table with a header for a terminal of so many columns. No line is wider, but for a word that is. */
export function tableLines(
  columns: readonly TableColumn[],
  rows: readonly TableRow[],
  width: number,
): string[] {
  const cells = [columns.map(({ title }) => title), ...rows.map((row) => row.cells.map(drawable))]
  const widths = fitted(
    columns,
    columns.map((_, at) => Math.max(...cells.map((row) => widthOf(row[at] ?? '')))),
    width,
  )
  const line = (row: readonly string[]) => {
    const fields = row
      .slice(0, columns.length)
      .map((cell, at) => padToWidth(cutToWidth(cell, widths[at]!), widths[at]!))
    return cutToWidth(fields.join(GAP).trimEnd(), width)
  }
  const [head = [], ...body] = cells
  return [line(head), ...body.flatMap((row, i) => [line(row), ...below(rows[i]!.facts ?? [], width)])]
}

/** What does not fit is taken from the widest flexible column, and then from the next. */
function fitted(columns: readonly TableColumn[], natural: readonly number[], width: number): number[] {
  const widths = [...natural]
  for (;;) {
    const total = widths.reduce((sum, each) => sum + each, GAP.length * (widths.length - 1))
    const widest = Math.max(...widths.filter((_, at) => columns[at]!.isFlexible))
    const at = widths.findIndex((each, i) => columns[i]!.isFlexible && each === widest)
    if (total <= width || at < 0 || widest <= MIN_FLEXIBLE) return widths
    widths[at] = Math.max(MIN_FLEXIBLE, widest - (total - width))
  }
}

function below(facts: readonly string[], width: number): string[] {
  const margin = ' '.repeat(4)
  return factLines(facts.map(drawable), width, { first: margin, rest: margin })
}
