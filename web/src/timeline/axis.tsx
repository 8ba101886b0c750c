import type { Layout } from 'offshoot/client'
import { FIGURES, GUTTER } from './chart.tsx'
import { spanWords, tickWords } from './timeline-labels.ts'

interface AxisProps {
  readonly shown: Layout
  /** Start of the first run, the zero of the axis. Milliseconds since the epoch. */
  readonly start: number
  readonly width: number
  readonly stacked: boolean
}

/** Labels closer than this to the right edge would be cut off. Pixels. */
const ROOM = 36

/** Time labels above the bars, and column headings for the figures. */
export function Axis({ shown, start, width, stacked }: AxisProps) {
  const before = Math.round(shown.from - start)
  return (
    <div
      className={`sticky top-0 z-10 flex h-6 items-center border-b border-line bg-ground text-2xs text-ink-3 ${stacked ? 'px-3' : ''}`}
      aria-hidden="true"
    >
      {!stacked && (
        <span className="shrink-0 pl-3.5" style={{ width: GUTTER }}>
          Run
        </span>
      )}
      <div className="relative h-full shrink-0 tabular-nums" style={{ width }}>
        {shown.gaps.map(({ x, width: wide, ms }) => (
          <span
            key={x}
            className="absolute top-0 h-full border-x border-dashed border-line-strong bg-hover"
            title={`${spanWords(ms)} without activity`}
            style={{ left: x, width: wide }}
          />
        ))}
        {shown.ticks.map(({ x, afterMs }) => (
          <span
            key={afterMs}
            className="absolute top-1 bg-ground pl-1 whitespace-nowrap"
            style={{ left: x }}
            hidden={x > width - ROOM}
          >
            {tickWords(afterMs + before)}
          </span>
        ))}
      </div>
      {!stacked && (
        <div className="grid shrink-0 grid-cols-4 pr-3 text-right" style={{ width: FIGURES }}>
          <span>in</span>
          <span>out</span>
          <span>cost</span>
          <span>% root</span>
        </div>
      )}
    </div>
  )
}
