import { useRef } from 'react'

interface SplitterProps {
  readonly label: string
  readonly width: number
  readonly min: number
  readonly max: number
  /** The side that grows when the splitter moves right. */
  readonly grows: 'left' | 'right'
  readonly onResize: (width: number) => void
}

const STEP = 16

/** A separator between two columns, moved with the pointer or the arrow keys. */
export function Splitter({ label, width, min, max, grows, onResize }: SplitterProps) {
  const start = useRef<{ x: number; width: number }>(undefined)
  const sign = grows === 'left' ? 1 : -1
  const resize = (next: number) => onResize(Math.round(Math.min(max, Math.max(min, next))))
  return (
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={width}
      aria-valuemin={min}
      aria-valuemax={max}
      tabIndex={0}
      data-print="no"
      className="relative z-10 w-px shrink-0 cursor-col-resize bg-line transition-colors after:absolute after:inset-y-0 after:-inset-x-1 hover:bg-line-strong"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        start.current = { x: event.clientX, width }
      }}
      onPointerMove={(event) => {
        if (start.current) resize(start.current.width + sign * (event.clientX - start.current.x))
      }}
      onPointerUp={() => {
        start.current = undefined
      }}
      onKeyDown={(event) => {
        if (event.altKey || event.metaKey || event.ctrlKey) return
        if (event.key === 'ArrowRight') resize(width + sign * STEP)
        if (event.key === 'ArrowLeft') resize(width - sign * STEP)
      }}
    />
  )
}
