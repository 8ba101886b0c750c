import type { Layout } from 'offshoot/client'
import { useRef, type KeyboardEvent, type PointerEvent } from 'react'
import { hueOf } from '../ui/format.ts'
import { rangeWithin, type Range } from './range.ts'
import { spanWords } from './timeline-labels.ts'

interface MinimapProps {
  /** The layout of the whole timeline, with `gutter: 0`. */
  readonly all: Layout
  readonly width: number
  /** null: the whole timeline. */
  readonly range: Range | null
  readonly onRange: (range: Range | null) => void
}

const HEIGHT = 40
const MAX_LINE = 4
/** A pointer that moved less than this clicked. Pixels. */
const CLICK = 4

/** Overview of the whole timeline. Drag to select the visible range, or move its edges with the arrow keys. */
export function Minimap({ all, width, range, onRange }: MinimapProps) {
  const start = useRef<{ x: number; range: Range | null }>(undefined)
  const { from, to } = range ?? all
  const line = Math.min(MAX_LINE, (HEIGHT - 6) / Math.max(1, all.rows.length))
  const placeOf = (event: PointerEvent) => event.clientX - event.currentTarget.getBoundingClientRect().left
  const onMove = (event: PointerEvent) => {
    if (!start.current) return
    const { x, range: before } = start.current
    const now = placeOf(event)
    if (Math.abs(now - x) < CLICK) return
    const by = all.timeOf(now) - all.timeOf(x)
    const chosen = { from: all.timeOf(Math.min(x, now)), to: all.timeOf(Math.max(x, now)) }
    onRange(rangeWithin(before ? { from: before.from + by, to: before.to + by } : chosen, all))
  }
  return (
    <div className="shrink-0 border-y border-line bg-panel px-3">
      <div
        className="relative touch-none select-none"
        style={{ height: HEIGHT, width }}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          const x = placeOf(event)
          const at = all.timeOf(x)
          start.current = { x, range: range && at > range.from && at < range.to ? range : null }
        }}
        onPointerMove={onMove}
        onPointerUp={() => {
          start.current = undefined
        }}
        onDoubleClick={() => onRange(null)}
      >
        <svg width={width} height={HEIGHT} className="absolute inset-0" aria-hidden="true">
          {all.rows.map(
            (row, index) =>
              row.bar && (
                <g key={row.runId} className={hueOf(row.agent)}>
                  <rect
                    x={row.bar.x}
                    y={3 + index * line}
                    width={Math.max(1, row.bar.width)}
                    height={Math.max(0.5, line - 1)}
                    fill="var(--hue)"
                    opacity="0.75"
                  />
                </g>
              ),
          )}
          {range && (
            <g fill="var(--panel)" opacity="0.8">
              <rect width={all.xOf(from)} height={HEIGHT} />
              <rect x={all.xOf(to)} width={Math.max(0, width - all.xOf(to))} height={HEIGHT} />
            </g>
          )}
        </svg>
        <Edge
          label="Start of the visible range"
          at={from}
          all={all}
          onMove={(at) => at < to && onRange(rangeWithin({ from: at, to }, all))}
        />
        <Edge
          label="End of the visible range"
          at={to}
          all={all}
          onMove={(at) => at > from && onRange(rangeWithin({ from, to: at }, all))}
        />
      </div>
    </div>
  )
}

interface EdgeProps {
  readonly label: string
  readonly at: number
  readonly all: Layout
  readonly onMove: (at: number) => void
}

/** Share of the whole timeline that one arrow key moves an edge. */
const STEP = 0.02

function Edge({ label, at, all, onMove }: EdgeProps) {
  const dragging = useRef(false)
  const whole = all.to - all.from
  const onKey = (event: KeyboardEvent) => {
    if (event.altKey || event.metaKey || event.ctrlKey) return
    const step = whole * STEP * (event.shiftKey ? 5 : 1)
    const moves: Readonly<Record<string, number>> = {
      ArrowLeft: at - step,
      ArrowDown: at - step,
      ArrowRight: at + step,
      ArrowUp: at + step,
      Home: all.from,
      End: all.to,
    }
    const next = moves[event.key]
    if (next === undefined) return
    event.preventDefault()
    event.stopPropagation()
    onMove(Math.min(all.to, Math.max(all.from, next)))
  }
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={whole}
      aria-valuenow={Math.round(at - all.from)}
      aria-valuetext={`${spanWords(at - all.from)} after the start`}
      onKeyDown={onKey}
      onPointerDown={(event) => {
        event.stopPropagation()
        event.currentTarget.setPointerCapture(event.pointerId)
        dragging.current = true
      }}
      onPointerMove={(event) => {
        event.stopPropagation()
        if (dragging.current)
          onMove(all.timeOf(event.clientX - event.currentTarget.parentElement!.getBoundingClientRect().left))
      }}
      onPointerUp={() => {
        dragging.current = false
      }}
      className="absolute inset-y-0 -ml-3 flex w-6 cursor-ew-resize justify-center -outline-offset-2"
      style={{ left: all.xOf(at) }}
    >
      <span className="h-full w-px bg-line-strong" />
      <span className="absolute top-1/2 h-4 w-1.5 -translate-y-1/2 rounded-full border border-ground bg-line-strong" />
    </div>
  )
}
