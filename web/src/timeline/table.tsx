import { costWords } from 'offshoot/client'
import { useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import { useView } from '../state/conversation.tsx'
import { AgentName } from '../ui/badge.tsx'
import { hueOf } from '../ui/format.ts'
import { Icon } from '../ui/icon.tsx'
import { RunMark } from '../ui/run-mark.tsx'
import { lookOf } from '../ui/run-status-look.ts'
import type { ChartProps } from './chart.tsx'
import type { ShownRow } from './shown-rows.ts'
import { moveOf, type CellPosition } from './grid-keys.ts'
import { saidOf, shareWords, spanWords } from './timeline-labels.ts'

interface TableProps extends Pick<
  ChartProps,
  'rows' | 'selectedId' | 'focusedId' | 'onFocus' | 'onFold' | 'onOpen'
> {
  /** When the first run started. Milliseconds since the epoch. */
  readonly start: number
}

interface Column {
  readonly name: string
  readonly isText?: true
  readonly cell: (row: ShownRow, start: number) => ReactNode
}

const COLUMNS: readonly Column[] = [
  { name: 'Run', isText: true, cell: (row) => <Name row={row} /> },
  { name: 'State', isText: true, cell: (row) => <State row={row} /> },
  { name: 'Started after', cell: ({ beganAt }, start) => spanWords(beganAt - start) },
  { name: 'Queued', cell: ({ queuedMs }) => spanWords(queuedMs) },
  { name: 'Took', cell: ({ durationMs }) => spanWords(durationMs) },
  { name: 'Model and tools', cell: ({ busyMs }) => spanWords(busyMs) },
  { name: 'Waited for you', cell: ({ personMs }) => spanWords(personMs) },
  { name: 'Tokens in', cell: ({ inputTokens }) => inputTokens.toLocaleString() },
  { name: 'Tokens out', cell: ({ outputTokens }) => outputTokens.toLocaleString() },
  { name: 'Cost', cell: ({ costUsd }) => costWords(costUsd) },
  { name: '% of root', cell: ({ share }) => shareWords(share) },
]

/** The chart's data as a table: rows and cells are focusable, arrow keys move and fold, Enter opens the details. */
export function TimelineTable({ rows, selectedId, focusedId, onFocus, onFold, onOpen, start }: TableProps) {
  const [column, setColumn] = useState(-1)
  const table = useRef<HTMLTableElement>(null)
  const found = rows.findIndex(({ runId }) => runId === focusedId)
  const tabbable: CellPosition = { row: Math.max(0, found), column: found < 0 ? -1 : column }
  const focus = ({ row, column: at }: CellPosition) => {
    const line = table.current?.tBodies[0]?.rows[row]
    const target = at < 0 ? line : line?.cells[at]
    target?.focus()
    target?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }
  const onKey = (event: KeyboardEvent, position: CellPosition) => {
    const row = rows[position.row]
    if (!row || event.altKey || event.metaKey || event.ctrlKey) return
    const move = moveOf(event.key, position, rows, COLUMNS.length)
    const isOpening = event.key === 'Enter' || event.key === ' '
    if (!move && !isOpening) return
    event.preventDefault()
    event.stopPropagation()
    if (!move) onOpen(row)
    else if ('fold' in move) onFold(row.runId, move.fold)
    else focus(move.to)
  }
  const isTabbable = (row: number, at: number) => (row === tabbable.row && at === tabbable.column ? 0 : -1)
  return (
    <div className="scrolls h-full overflow-auto">
      <table ref={table} role="treegrid" aria-label="Runs" className="w-full border-collapse text-xs">
        <Head />
        <tbody>
          {rows.map((row, at) => (
            <tr
              key={row.runId}
              data-run={row.runId}
              aria-level={row.level + 1}
              aria-expanded={row.hasChildren ? row.isOpen : undefined}
              aria-selected={row.runId === selectedId}
              tabIndex={isTabbable(at, -1)}
              onFocus={(event) => {
                onFocus(row.runId)
                setColumn(event.target instanceof HTMLTableCellElement ? event.target.cellIndex : -1)
              }}
              onKeyDown={(event) =>
                event.target === event.currentTarget && onKey(event, { row: at, column: -1 })
              }
              onClick={() => onOpen(row)}
              className={`cursor-default -outline-offset-2 hover:bg-hover/60 ${hueOf(row.agent)} ${row.runId === selectedId ? 'bg-pressed/70' : ''}`}
            >
              {COLUMNS.map(({ name, isText, cell }, index) => (
                <td
                  key={name}
                  role="gridcell"
                  tabIndex={isTabbable(at, index)}
                  onKeyDown={(event) => onKey(event, { row: at, column: index })}
                  className={`touch:h-11 border-b border-line/60 px-2 py-1.5 whitespace-nowrap -outline-offset-2 first:pl-3 last:pr-3 ${isText ? 'text-left' : 'text-right text-ink-2 tabular-nums'}`}
                >
                  {cell(row, start)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Head() {
  return (
    <thead>
      <tr className="sticky top-0 z-10 bg-ground text-ink-3">
        {COLUMNS.map(({ name, isText }) => (
          <th
            key={name}
            scope="col"
            className={`border-b border-line px-2 py-1.5 font-normal whitespace-nowrap first:pl-3 last:pr-3 ${isText ? 'text-left' : 'text-right'}`}
          >
            {name}
          </th>
        ))}
      </tr>
    </thead>
  )
}

const MAX_INDENT = 6

function Name({ row }: { row: ShownRow }) {
  return (
    <span
      className="flex max-w-80 items-center gap-1.5"
      style={{ paddingLeft: Math.min(row.level, MAX_INDENT) * 12 }}
    >
      <span className="size-3 shrink-0 text-ink-3">
        {row.hasChildren && <Icon name={row.isOpen ? 'down' : 'right'} size={12} />}
      </span>
      <AgentName name={row.agent} className="shrink-0" />
      <span className="truncate text-ink-2">{row.task}</span>
    </span>
  )
}

function State({ row }: { row: ShownRow }) {
  const run = useView((state) => state.runs[row.runId])
  const said = run ?? saidOf(row)
  const { tone, word } = lookOf(said)
  return (
    <span className={`flex items-center gap-1.5 ${tone}`}>
      <RunMark run={said} silent size={13} />
      {word}
    </span>
  )
}
