import { parentOf, type ShownRow } from './shown-rows.ts'

/** The focused cell of a treegrid. `column` -1: the whole row. */
export interface CellPosition {
  readonly row: number
  readonly column: number
}

export type Move = { readonly to: CellPosition } | { readonly fold: boolean }

/** The move that a key makes in a row-first treegrid (ARIA Authoring Practices); undefined: none. */
export function moveOf(
  key: string,
  position: CellPosition,
  rows: readonly ShownRow[],
  columns: number,
): Move | undefined {
  const { row, column } = position
  const at = (next: Partial<CellPosition>): Move => ({ to: { ...position, ...next } })
  const last = rows.length - 1
  switch (key) {
    case 'ArrowDown':
      return at({ row: Math.min(last, row + 1) })
    case 'ArrowUp':
      return at({ row: Math.max(0, row - 1) })
    case 'Home':
      return column < 0 ? at({ row: 0 }) : at({ column: 0 })
    case 'End':
      return column < 0 ? at({ row: last }) : at({ column: columns - 1 })
    case 'ArrowRight':
      if (column < 0 && rows[row]?.hasChildren && !rows[row].isOpen) return { fold: true }
      return at({ column: Math.min(columns - 1, column + 1) })
    case 'ArrowLeft':
      if (column >= 0) return at({ column: column - 1 })
      if (rows[row]?.hasChildren && rows[row].isOpen) return { fold: false }
      return at({ row: Math.max(0, parentOf(rows, row)) })
    default:
      return undefined
  }
}
