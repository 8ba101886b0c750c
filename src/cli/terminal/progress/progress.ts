import type { Clock } from '../../../core/clock.ts'
import type { OffshootEvent } from '../../../core/events.ts'
import type { RunId } from '../../../core/ids.ts'
import { systemClock } from '../../../exec/system-clock.ts'
import type { Io } from '../../io.ts'
import { groupsOf, runsOf } from './turn-groups.ts'
import { row, runRows, type LineStyle } from './progress-rows.ts'
import { reflows, repaint, replace, type Drawn } from './repaint.ts'
import { closingRows, groupRows, liveRows } from './live-rows.ts'
import { reduceProgress, type ProgressTree, type RunLine } from './progress-tree.ts'

/** Shows the tree of runs on stderr: redrawn in place on a terminal, a line for each change otherwise. */
export interface Progress {
  notify(events: readonly OffshootEvent[]): void
  /** Takes the picture away until the returned function is called. What has settled stays. */
  pause(): () => void
  /** Leaves the whole tree as it is now. */
  end(): void
}

export interface ProgressOptions {
  /** Whether something else is written to the same terminal meanwhile: then nothing may be redrawn. */
  readonly sharesTerminal?: boolean
  readonly clock?: Clock
  readonly iconOf?: LineStyle['iconOf']
  /** The last line below what goes on now. */
  readonly hint?: () => string
}

export function createProgress(
  io: Io,
  { sharesTerminal, clock = systemClock, iconOf, hint }: ProgressOptions = {},
): Progress {
  const { stderr, env } = io
  const colour = mayColour(stderr, env)
  const inPlace = stderr.isTTY && env['TERM'] !== 'dumb' && !sharesTerminal
  const style = { colour, columns: MAX_COLUMNS, frame: 0 }
  return inPlace ? liveProgress(io, { ...style, iconOf }, { clock, hint }) : plainProgress(stderr, style)
}

/** https://no-color.org wins over https://force-color.org. */
export function mayColour({ isTTY }: Pick<NodeJS.WriteStream, 'isTTY'>, env: Io['env']): boolean {
  if (env['NO_COLOR']) return false
  const forced = env['FORCE_COLOR']
  if (forced) return forced !== '0' && forced !== 'false'
  return isTTY && env['TERM'] !== 'dumb'
}

const REDRAW_MS = 100
const SPIN_MS = 250

/** Longer rows are harder to read. */
const MAX_COLUMNS = 120

/** A taller picture would be torn when the terminal becomes lower: what has left the screen cannot be redrawn. */
const MAX_ROWS = 12

/**
 * The picture is what goes on now; what has settled is written above it, once. The cursor is never hidden and stands
 * below the picture between two writes, so that there is nothing to put right when the program is killed.
 */
function liveProgress(
  { stderr, env }: Io,
  look: LineStyle,
  { clock, hint }: { readonly clock: Clock; readonly hint: ProgressOptions['hint'] | undefined },
): Progress {
  const settledRuns = new Set<RunId>()
  let tree: ProgressTree = new Map()
  let drawn: Drawn = { rows: [], columns: 0 }
  let paused = 0
  const screen = () => ({ columns: stderr.columns || 80, reflows: reflows(env) })
  const style = (): LineStyle => ({
    ...look,
    columns: Math.min(screen().columns, MAX_COLUMNS),
    frame: Math.floor(clock.now() / SPIN_MS),
    tree,
  })
  const settle = (all: boolean) =>
    groupsOf(tree, settledRuns)
      .filter((group) => all || group.settled)
      .flatMap((group) => {
        for (const run of runsOf(group.nodes)) settledRuns.add(run.runId)
        return groupRows(group, clock.now(), style())
      })
  /** Rows of `above` stay where they are written. */
  const show = (rows: readonly string[], above?: readonly string[]) => {
    const text = above ? replace(drawn, [...above, ...rows], screen()) : repaint(drawn, rows, screen())
    if (text !== '') stderr.write(text)
    drawn = { rows, columns: screen().columns }
  }
  const draw = () => {
    if (paused > 0) return
    const above = settle(false)
    const maxRows = Math.min(MAX_ROWS, Math.max(3, Math.floor((stderr.rows || 24) / 2) - 1))
    const rows = liveRows(tree, settledRuns, clock.now(), { ...style(), maxRows })
    if (hint && rows.length > 0) rows.push(row([{ text: hint(), look: 'dim' }], style()))
    show(rows, above.length > 0 ? above : undefined)
  }
  const stopDrawing = every(clock, REDRAW_MS, draw)
  // whoever had the terminal meanwhile has written where the picture was
  const onContinue = () => void (drawn = { rows: [], columns: 0 })
  process.on('SIGCONT', onContinue)
  return {
    notify(events) {
      for (const event of events) {
        tree = reduceProgress(tree, event)
        if (event.type === 'run.queued' || event.type === 'run.started') settledRuns.delete(event.runId!)
      }
    },
    pause() {
      if (paused++ === 0) show([], settle(false))
      return () => void paused--
    },
    end() {
      stopDrawing()
      process.off('SIGCONT', onContinue)
      show([], [...settle(true), ...closingRows(tree, clock.now(), style())])
    },
  }
}

function every(clock: Clock, ms: number, fn: () => void): () => void {
  let cancel = () => {}
  let ended = false
  const next = () => {
    cancel = clock.after(ms, () => {
      // a signal that came with the time, that the program goes on or that its window has changed, is read before
      setImmediate(() => {
        if (ended) return
        fn()
        next()
      })
    })
  }
  next()
  return () => {
    ended = true
    cancel()
  }
}

/** At most one line a run in this time, but for its changes of state. */
const LINE_MS = 1_000

function plainProgress(stderr: NodeJS.WriteStream, style: LineStyle): Progress {
  let tree: ProgressTree = new Map()
  const said = new Map<RunId, string>()
  const progressAt = new Map<RunId, number>()
  let closing: string | undefined
  /** Where the main agent has ended, what the whole tree used, as on a terminal. */
  const lineOf = (run: RunLine, now: number): string => {
    const isEnd = run.depth === 0 && run.endedAt !== null
    const [text] = isEnd ? closingRows(tree, now, style) : runRows(run, now, { ...style, tree })
    if (run.depth === 0) closing = isEnd ? text : undefined
    return text!
  }
  const print = (event: OffshootEvent) => {
    const before = tree
    tree = reduceProgress(tree, event)
    const run = event.runId && tree.get(event.runId)
    if (!run || tree === before || !SPOKEN.test(event.type) || waitsOn(event)) return
    const text = lineOf(run, event.at)
    const isStep = event.type === 'run.progress' && before.get(run.runId)?.pausing === run.pausing
    const quiet = isStep && event.at - (progressAt.get(run.runId) ?? 0) < LINE_MS
    if (quiet || said.get(run.runId) === text) return
    if (event.type === 'run.progress') progressAt.set(run.runId, event.at)
    said.set(run.runId, text)
    stderr.write(`${text}\n`)
  }
  /** A subagent may have gone on behind the last line of the main agent. */
  const end = () => {
    const [text] = closingRows(tree, 0, style)
    if (closing !== undefined && text !== closing) stderr.write(`${text}\n`)
  }
  return { notify: (events) => events.forEach(print), pause: () => () => {}, end }
}

const SPOKEN = /^(run\.|approval\.requested$|question\.asked$)/

/** Only the time until which it waits is another. */
function waitsOn(event: OffshootEvent): boolean {
  return event.type === 'run.waiting' && event.from === 'waiting'
}
