import type { Layout, LayoutRow } from 'offshoot/client'
import { spanWords } from './timeline-labels.ts'

/** Pattern for time spent waiting for a person; defined once per page (`Hatch`). */
const HATCH = 'timeline-hatch'

export function Hatch() {
  return (
    <svg width="0" height="0" className="absolute" aria-hidden="true">
      <pattern id={HATCH} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width="5" height="5" fill="var(--needs-soft)" />
        <rect width="2" height="5" fill="var(--needs)" />
      </pattern>
    </svg>
  )
}

type Segment = LayoutRow['segments'][number]

/** One colour per kind of time; a darker shade means more activity. */
const FILLS: Readonly<Record<Segment['kind'], string>> = {
  model: 'color-mix(in srgb, var(--hue) 45%, var(--ground))',
  tool: 'color-mix(in srgb, var(--hue) 80%, var(--ground))',
  person: `url(#${HATCH})`,
  retry: 'color-mix(in srgb, var(--failed) 35%, var(--ground))',
  children: 'transparent',
  queued: 'transparent',
  paused: 'transparent',
}

const WORDS: Readonly<Record<Segment['kind'], string>> = {
  model: 'Model',
  tool: 'Tool',
  person: 'Waited for you',
  retry: 'Waited for the provider',
  children: 'Waited for subagents',
  queued: 'Queued',
  paused: 'Paused',
}

/** Narrower segments are invisible. Pixels. */
const MIN_WIDTH = 1.5

interface BarProps {
  readonly row: LayoutRow
  readonly shown: Pick<Layout, 'from' | 'to' | 'timeOf'>
  readonly width: number
  readonly height: number
}

/** One run: a thin line while queued, then a bar with its activity, and marks for its events above. */
export function Bar({ row, shown, width, height }: BarProps) {
  const thick = Math.round(height * 0.46)
  const top = (height - thick) / 2
  return (
    <svg width={width} height={height} className="absolute inset-0 overflow-hidden" aria-hidden="true">
      {row.bar && (
        <rect
          x={row.bar.x + 0.5}
          y={top + 0.5}
          width={Math.max(MIN_WIDTH, row.bar.width - 1)}
          height={thick - 1}
          rx="2.5"
          fill="color-mix(in srgb, var(--hue) 14%, var(--ground))"
          stroke="var(--hue)"
        />
      )}
      {row.segments.map((segment, index) => (
        <Piece key={index} segment={segment} shown={shown} top={top} thick={thick} />
      ))}
      {row.marks.map(({ kind, x, label, at }) => (
        <g key={`${kind}${at}${x}`} transform={`translate(${x - 4} ${top - 5})`}>
          <title>{`${MARKS[kind].word}: ${label}`}</title>
          <path
            d={MARKS[kind].path}
            fill={MARKS[kind].color}
            stroke="var(--ground)"
            strokeWidth="2.5"
            paintOrder="stroke"
          />
        </g>
      ))}
    </svg>
  )
}

interface PieceProps extends Pick<BarProps, 'shown'> {
  readonly segment: Segment
  readonly top: number
  readonly thick: number
}

function Piece({ segment: { kind, x, width, label }, shown: { timeOf }, top, thick }: PieceProps) {
  const words = (
    <title>{`${WORDS[kind]}${label ? ` (${label})` : ''}: ${spanWords(timeOf(x + width) - timeOf(x))}`}</title>
  )
  if (kind === 'queued')
    return (
      <line
        x1={x}
        x2={x + width}
        y1={top + thick / 2}
        y2={top + thick / 2}
        stroke="var(--line-strong)"
        strokeWidth="1.5"
      >
        {words}
      </line>
    )
  return (
    <rect x={x} y={top + 1} width={Math.max(MIN_WIDTH, width)} height={thick - 2} fill={FILLS[kind]}>
      {words}
    </rect>
  )
}

type MarkKind = LayoutRow['marks'][number]['kind']

/** Each mark has its own shape, on a grid of 8. */
const MARKS: Readonly<
  Record<MarkKind, { readonly path: string; readonly color: string; readonly word: string }>
> = {
  approval: { path: 'M1 0h6v4H2v4H1z', color: 'var(--needs)', word: 'Asked for approval' },
  question: { path: 'M4 0a4 4 0 1 0 0 8a4 4 0 1 0 0-8z', color: 'var(--needs)', word: 'Asked' },
  error: { path: 'M1 0 4 3 7 0 8 1 5 4 8 7 7 8 4 5 1 8 0 7 3 4 0 1z', color: 'var(--failed)', word: 'Error' },
  compaction: { path: 'M0 0 4 4 0 8zM8 0 4 4 8 8z', color: 'var(--paused)', word: 'Compacted' },
}

const LEGEND: readonly (readonly [Segment['kind'], string])[] = [
  ['model', 'model'],
  ['tool', 'tool'],
  ['person', 'waiting for you'],
  ['children', 'waiting for subagents'],
]

/** Explains the colours and shapes. */
export function Legend() {
  return (
    <ul aria-label="Legend" className="flex flex-wrap gap-x-3 gap-y-0.5 text-2xs text-ink-3">
      {LEGEND.map(([kind, word]) => (
        <li key={kind} className="hue-0 flex items-center gap-1">
          <svg width="16" height="8" aria-hidden="true">
            <rect x="0.5" y="0.5" width="15" height="7" rx="1.5" fill={FILLS[kind]} stroke="var(--hue)" />
          </svg>
          {word}
        </li>
      ))}
      {Object.entries(MARKS).map(([kind, { path, color }]) => (
        <li key={kind} className="flex items-center gap-1">
          <svg width="8" height="8" aria-hidden="true">
            <path d={path} fill={color} />
          </svg>
          {kind}
        </li>
      ))}
    </ul>
  )
}
