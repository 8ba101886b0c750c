import { tokenWords, type Layout } from 'offshoot/client'
import { useRef, type KeyboardEvent } from 'react'
import { useView } from '../state/conversation.tsx'
import { AgentName } from '../ui/badge.tsx'
import { hueOf } from '../ui/format.ts'
import { Icon } from '../ui/icon.tsx'
import { RunMark } from '../ui/run-mark.tsx'
import { lookOf } from '../ui/run-status-look.ts'
import { Bar } from './bar.tsx'
import { parentOf, type ShownRow } from './shown-rows.ts'
import { saidOf, shareWords, shortCost, spanWords } from './timeline-labels.ts'

/** Width of the columns beside the bars: names, and figures. Pixels. */
export const GUTTER = 220
export const FIGURES = 236
const ROW = 30
const STACKED_BAR = 22
const MAX_INDENT = 6

export interface ChartProps {
  readonly rows: readonly ShownRow[]
  readonly shown: Layout
  /** Width of the bars. Pixels. */
  readonly width: number
  /** Names go above the bars when there is no room beside them. */
  readonly stacked: boolean
  readonly selectedId: string | null
  readonly focusedId: string | null
  readonly onFocus: (runId: string) => void
  readonly onFold: (runId: string, open: boolean) => void
  readonly onOpen: (row: ShownRow) => void
  /** Keys that zoom or pan. */
  readonly onKey: (event: KeyboardEvent) => void
}

/** Treegrid with a row per run: arrow keys move and fold, Enter opens the details of a run. */
export function Chart(props: ChartProps) {
  const { rows, shown, width, stacked, focusedId, onFocus, onFold, onOpen, onKey } = props
  const tree = useRef<HTMLDivElement>(null)
  const tabbable = rows.find(({ runId }) => runId === focusedId) ?? rows[0]
  const focus = (row: ShownRow | undefined) => {
    if (row) tree.current?.querySelector<HTMLElement>(`[data-run="${row.runId}"]`)?.focus()
  }
  const onRowKey = (event: KeyboardEvent, row: ShownRow, at: number) => {
    if (event.altKey || event.metaKey || event.ctrlKey) return
    const moves: Readonly<Record<string, () => void>> = {
      ArrowDown: () => focus(rows[at + 1]),
      ArrowUp: () => focus(rows[at - 1]),
      Home: () => focus(rows[0]),
      End: () => focus(rows.at(-1)),
      ArrowRight: () => (row.isOpen || !row.hasChildren ? focus(rows[at + 1]) : onFold(row.runId, true)),
      ArrowLeft: () =>
        row.isOpen && row.hasChildren ? onFold(row.runId, false) : focus(rows[parentOf(rows, at)]),
      Enter: () => onOpen(row),
      ' ': () => onOpen(row),
    }
    const move = moves[event.key]
    if (!move) return onKey(event)
    event.preventDefault()
    event.stopPropagation()
    move()
  }
  return (
    <div className="relative">
      <Grid shown={shown} left={stacked ? 0 : GUTTER} width={width} />
      <div ref={tree} role="tree" aria-label="Runs" className="relative">
        {rows.map((row, at) => (
          <div
            key={row.runId}
            role="treeitem"
            data-run={row.runId}
            data-opener={`timeline-${row.runId}`}
            aria-level={row.level + 1}
            aria-selected={row.runId === props.selectedId}
            aria-expanded={row.hasChildren ? row.isOpen : undefined}
            tabIndex={row === tabbable ? 0 : -1}
            onFocus={() => onFocus(row.runId)}
            onKeyDown={(event) => onRowKey(event, row, at)}
            onClick={() => onOpen(row)}
            className={`cursor-default border-b border-line/60 [contain-intrinsic-size:auto_30px] [content-visibility:auto] -outline-offset-2 hover:bg-hover/60 ${hueOf(row.agent)} ${row.runId === props.selectedId ? 'bg-pressed/70' : ''}`}
          >
            <Row {...props} row={row} />
          </div>
        ))}
      </div>
    </div>
  )
}

function Row({ row, shown, width, stacked, onFold }: ChartProps & { readonly row: ShownRow }) {
  if (stacked)
    return (
      <div className="px-3 pt-1.5 pb-1">
        <div className="flex items-center gap-2">
          <Name row={row} onFold={onFold} />
          <span className="shrink-0 text-2xs text-ink-3 tabular-nums">
            {`${spanWords(row.durationMs)} · ${tokenWords(row.inputTokens + row.outputTokens)} · ${shortCost(row.costUsd)}`}
          </span>
        </div>
        <div className="relative" style={{ height: STACKED_BAR, width }}>
          <Bar row={row} shown={shown} width={width} height={STACKED_BAR} />
        </div>
      </div>
    )
  return (
    <div className="flex items-center" style={{ height: ROW }}>
      <div className="flex shrink-0 items-center gap-2 pr-2 pl-2" style={{ width: GUTTER }}>
        <Name row={row} onFold={onFold} />
      </div>
      <div className="relative h-full shrink-0" style={{ width }}>
        <Bar row={row} shown={shown} width={width} height={ROW} />
      </div>
      <div
        className="grid shrink-0 grid-cols-4 pr-3 text-right text-xs text-ink-2 tabular-nums"
        style={{ width: FIGURES }}
      >
        <Figure label="tokens in">{tokenWords(row.inputTokens)}</Figure>
        <Figure label="tokens out">{tokenWords(row.outputTokens)}</Figure>
        <Figure label="cost">{shortCost(row.costUsd)}</Figure>
        <Figure label="of the root">{shareWords(row.share)}</Figure>
      </div>
    </div>
  )
}

function Figure({ label, children }: { label: string; children: string }) {
  return (
    <span>
      {children}
      <span className="sr-only">{` ${label}, `}</span>
    </span>
  )
}

function Name({ row, onFold }: Pick<ChartProps, 'onFold'> & { readonly row: ShownRow }) {
  const run = useView((state) => state.runs[row.runId])
  const said = run ?? saidOf(row)
  return (
    <span
      className="flex min-w-0 flex-1 items-center gap-1.5"
      style={{ paddingLeft: Math.min(row.level, MAX_INDENT) * 12 }}
    >
      <span
        aria-hidden="true"
        className="flex size-4 shrink-0 items-center justify-center text-ink-3"
        onClick={(event) => {
          event.stopPropagation()
          if (row.hasChildren) onFold(row.runId, !row.isOpen)
        }}
      >
        {row.hasChildren && <Icon name={row.isOpen ? 'down' : 'right'} size={12} />}
      </span>
      <RunMark run={said} size={13} />
      <AgentName name={row.agent} className="shrink-0 text-xs" />
      <span
        className="min-w-0 truncate text-xs text-ink-2"
        title={`${row.agent}: ${row.task} (${lookOf(said).word})`}
      >
        {row.task}
      </span>
    </span>
  )
}

/** Lines at round times, and bands over compressed gaps. */
function Grid({ shown: { ticks, gaps }, left, width }: { shown: Layout; left: number; width: number }) {
  const inset = left === 0 ? 12 : left
  return (
    <svg
      width={width}
      height="100%"
      className="pointer-events-none absolute inset-y-0"
      style={{ left: inset }}
      aria-hidden="true"
    >
      {gaps.map(({ x, width: wide }) => (
        <rect key={x} x={x} y="0" width={wide} height="100%" fill="var(--hover)" />
      ))}
      {ticks.map(({ x, afterMs }) => (
        <line key={afterMs} x1={x + 0.5} x2={x + 0.5} y1="0" y2="100%" stroke="var(--line)" />
      ))}
    </svg>
  )
}
