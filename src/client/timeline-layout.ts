import type { RunId } from '../core/ids.ts'
import type { SpanKind, TimelineRun, Timeline } from './timeline.ts'

export interface LayoutOptions {
  /** Total width including names, in pixels or terminal columns. */
  readonly width: number
  /** Milliseconds since the epoch: the end of everything still active. */
  readonly now: number
  /** Width of the names. Default: 220. */
  readonly gutter?: number
  /** Shortens times without work, when all runs wait for a person or have stopped. */
  readonly compressIdle?: boolean
  /** Visible range, milliseconds since the epoch. Default: everything. */
  readonly view?: { readonly from: number; readonly to: number }
}

/** In the drawing: `x` from its left edge, `width` at least 0. Absent outside the visible range. */
export interface TimelineExtent {
  readonly x: number
  readonly width: number
}

export interface LayoutRow {
  readonly runId: RunId
  /** Levels below the first run: the indent of its name. */
  readonly level: number
  readonly agent: string
  readonly task: string
  readonly status: TimelineRun['status']
  readonly model: string
  /** From its start to its end; null: it waits for a slot and has only a thin line. */
  readonly bar: TimelineExtent | null
  readonly segments: readonly (TimelineExtent & { readonly kind: SpanKind; readonly label: string })[]
  readonly marks: readonly (TimelineRun['marks'][number] & { readonly x: number })[]
  readonly queuedMs: number
  /** From its start to its end, without pauses. */
  readonly durationMs: number
  /** Time in which a model or a tool worked. */
  readonly busyMs: number
  /** Time in which it waited for a person. */
  readonly personMs: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly costUsd: number | null
  /** Its share of the total cost, 0 to 1; null: a price is unknown, or nothing was spent. */
  readonly share: number | null
}

export interface Layout {
  readonly rows: readonly LayoutRow[]
  /** The visible range. */
  readonly from: number
  readonly to: number
  /** Round times with their positions. */
  readonly ticks: readonly { readonly x: number; readonly afterMs: number }[]
  /** Shortened times. */
  readonly gaps: readonly (TimelineExtent & { readonly ms: number })[]
  /** Converts between times and positions. */
  readonly xOf: (at: number) => number
  readonly timeOf: (x: number) => number
  /** Each run counts once. */
  readonly totals: {
    readonly runs: number
    readonly inputTokens: number
    readonly outputTokens: number
    readonly costUsd: number | null
  }
}

/** Geometry of the timeline: a row for each run, below the run that started it. */
export function layout(timeline: Timeline, options: LayoutOptions): Layout {
  const { width, now, gutter = 220, compressIdle = false } = options
  const runs = inTreeOrder([...timeline.values()])
  const all = wholeOf(runs, now)
  const { from, to } = options.view ?? all
  const idle = compressIdle ? idleTimes(runs, from, to, now) : []
  const scale = scaleOf({ from, to, left: gutter, right: Math.max(gutter, width), idle })
  const totals = totalsOf(runs)
  const rows = runs.map((each) => rowOf(each, now, scale, totals.costUsd))
  const gaps = idle.map(([a, b]) => ({ ...extent(scale, a, b)!, ms: b - a }))
  return { rows, from, to, ticks: ticksOf(scale), gaps, xOf: scale.xOf, timeOf: scale.timeOf, totals }
}

interface Leveled {
  readonly run: TimelineRun
  readonly level: number
}

function inTreeOrder(runs: readonly TimelineRun[]): readonly Leveled[] {
  const ids = new Set(runs.map(({ id }) => id))
  const below = Map.groupBy(runs, ({ parentRunId }) =>
    parentRunId !== null && ids.has(parentRunId) ? parentRunId : null,
  )
  const lines = (parent: RunId | null, level: number): Leveled[] =>
    (below.get(parent) ?? []).flatMap((run) => [{ run, level }, ...lines(run.id, level + 1)])
  return lines(null, 0)
}

function wholeOf(runs: readonly Leveled[], now: number): { readonly from: number; readonly to: number } {
  let from = Number.POSITIVE_INFINITY
  let to = Number.NEGATIVE_INFINITY
  for (const { run } of runs)
    for (const span of run.spans) {
      from = Math.min(from, span.from)
      to = Math.max(to, endOf(span, now))
    }
  return from < to ? { from, to } : { from: now - 1_000, to: now }
}

/** An ongoing pause has no end to draw: the run stopped when the pause started. */
function endOf({ kind, from, to }: TimelineRun['spans'][number], now: number): number {
  return to ?? (kind === 'paused' ? from : Math.max(from, now))
}

interface Scale {
  readonly from: number
  readonly to: number
  readonly left: number
  readonly right: number
  /** The visible width of idle time between two times. */
  readonly drawnMs: number
  readonly xOf: (at: number) => number
  readonly timeOf: (x: number) => number
}

/** Most of the drawing that each idle time takes. */
const GAP_SHARE = 0.02

interface ScaleInput {
  readonly from: number
  readonly to: number
  readonly left: number
  readonly right: number
  readonly idle: readonly (readonly [number, number])[]
}

/** Linear, except for idle times, each of which gets a small share of the width. */
function scaleOf({ from, to, left, right, idle }: ScaleInput): Scale {
  const busy = to - from - idle.reduce((sum, [a, b]) => sum + b - a, 0)
  const gap = Math.max(1, busy) * GAP_SHARE
  const pieces = piecesOf(from, to, idle).map((piece) => ({
    ...piece,
    weight: piece.isIdle ? Math.min(gap, piece.to - piece.from) : piece.to - piece.from,
  }))
  const whole = pieces.reduce((sum, { weight }) => sum + weight, 0) || 1
  let x = left
  const drawn = pieces.map(({ weight, ...piece }) => {
    const width = ((right - left) * weight) / whole
    x += width
    return { ...piece, x: x - width, width }
  })
  const xOf = (at: number) => {
    const piece = drawn.find((each) => at <= each.to) ?? drawn.at(-1)
    if (!piece || piece.to === piece.from) return left
    const part = (Math.min(Math.max(at, piece.from), piece.to) - piece.from) / (piece.to - piece.from)
    return piece.x + part * piece.width
  }
  const timeOf = (at: number) => {
    const piece = drawn.find((each) => at <= each.x + each.width) ?? drawn.at(-1)
    if (!piece || piece.width === 0) return from
    return (
      piece.from + (Math.min(Math.max(at - piece.x, 0), piece.width) / piece.width) * (piece.to - piece.from)
    )
  }
  return { from, to, left, right, drawnMs: whole, xOf, timeOf }
}

function piecesOf(from: number, to: number, idle: ScaleInput['idle']) {
  const pieces: { from: number; to: number; isIdle: boolean }[] = []
  let at = from
  for (const [a, b] of idle) {
    if (a > at) pieces.push({ from: at, to: a, isIdle: false })
    pieces.push({ from: a, to: b, isIdle: true })
    at = b
  }
  if (at < to || pieces.length === 0) pieces.push({ from: at, to, isIdle: false })
  return pieces
}

/** Idle times shorter than this share of everything are not shortened. */
const MIN_IDLE_SHARE = 0.05

function idleTimes(
  runs: readonly Leveled[],
  from: number,
  to: number,
  now: number,
): readonly (readonly [number, number])[] {
  const busy = runs
    .flatMap(({ run }) => run.spans)
    .filter(({ kind }) => kind === 'model' || kind === 'tool' || kind === 'retry')
    .map((span) => [span.from, endOf(span, now)] as const)
    .toSorted((a, b) => a[0] - b[0])
  const idle: (readonly [number, number])[] = []
  let at = from
  for (const [a, b] of [...busy, [to, to] as const]) {
    const end = Math.min(a, to)
    if (end - at > (to - from) * MIN_IDLE_SHARE) idle.push([at, end])
    at = Math.max(at, b)
  }
  return idle
}

function extent({ from, to, xOf }: Scale, a: number, b: number): TimelineExtent | null {
  if (b < from || a > to) return null
  const x = xOf(a)
  return { x, width: Math.max(0, xOf(b) - x) }
}

function rowOf({ run, level }: Leveled, now: number, scale: Scale, wholeCost: number | null): LayoutRow {
  const { id: runId, agent, task, status, model, spans, costUsd, usage } = run
  const sum = (...kinds: readonly SpanKind[]) =>
    spans.reduce((ms, span) => ms + (kinds.includes(span.kind) ? endOf(span, now) - span.from : 0), 0)
  const started = spans.find(({ kind }) => kind !== 'queued')
  const last = spans.findLast(({ kind, to }) => kind !== 'paused' || to !== null)
  const segments = spans.flatMap((span) => {
    const place = extent(scale, span.from, endOf(span, now))
    return place && span.kind !== 'paused' ? [{ ...place, kind: span.kind, label: span.label }] : []
  })
  const marks = run.marks.flatMap((mark) => {
    const isInView = mark.at >= scale.from && mark.at <= scale.to
    return isInView ? [{ ...mark, x: scale.xOf(mark.at) }] : []
  })
  const share = wholeCost === null || costUsd === null || wholeCost === 0 ? null : costUsd / wholeCost
  return {
    runId,
    level,
    agent,
    task,
    status,
    model,
    segments,
    marks,
    costUsd,
    share,
    bar: started && last ? extent(scale, started.from, endOf(last, now)) : null,
    queuedMs: sum('queued'),
    durationMs: sum('model', 'tool', 'person', 'children', 'retry'),
    busyMs: sum('model', 'tool'),
    personMs: sum('person'),
    inputTokens: usage.input,
    outputTokens: usage.output,
  }
}

function totalsOf(runs: readonly Leveled[]): Layout['totals'] {
  const totals = { runs: runs.length, inputTokens: 0, outputTokens: 0, costUsd: 0 as number | null }
  for (const { run } of runs) {
    totals.inputTokens += run.usage.input
    totals.outputTokens += run.usage.output
    totals.costUsd = totals.costUsd === null || run.costUsd === null ? null : totals.costUsd + run.costUsd
  }
  return totals
}

const STEPS_MS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000,
  600_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000,
]
const MIN_TICK_WIDTH = 80

/** At round times after the start, no closer than the width of their labels; shortened idle times hold few. */
function ticksOf({ from, to, left, right, drawnMs, xOf, timeOf }: Scale): Layout['ticks'] {
  const most = Math.max(1, Math.floor((right - left) / MIN_TICK_WIDTH))
  const step = STEPS_MS.find((ms) => drawnMs / ms <= most) ?? Math.ceil(drawnMs / most)
  const ticks = [{ afterMs: 0, x: left }]
  for (;;) {
    const least = timeOf(ticks.at(-1)!.x + MIN_TICK_WIDTH / 2) - from
    const afterMs = (Math.floor(least / step) + 1) * step
    if (from + afterMs > to || xOf(from + afterMs) <= ticks.at(-1)!.x) return ticks
    ticks.push({ afterMs, x: xOf(from + afterMs) })
  }
}
