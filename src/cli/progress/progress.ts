import type { OffshootEvent } from '../../core/events.ts'
import type { RunId } from '../../core/ids.ts'
import type { Io } from '../io.ts'
import { runLine, treeLines, type LineStyle } from './lines.ts'
import { reduceProgress, type ProgressTree } from './tree.ts'

/** Shows the tree of runs on stderr: redrawn in place on a terminal, a line for each change otherwise. */
export interface Progress {
  take(events: readonly OffshootEvent[]): void
  pause(): () => void
  end(): void
}

export function createProgress({ stderr, env }: Io): Progress {
  const colour = stderr.isTTY && !env['NO_COLOR']
  if (!stderr.isTTY) return plainProgress(stderr, { colour: false, columns: 200 })
  return liveProgress(stderr, () => ({ colour, columns: stderr.columns || 80 }))
}

const REDRAW_MS = 100
const UP_AND_CLEAR = (lines: number) => (lines > 0 ? `\x1b[${lines}A\x1b[0J` : '')

function liveProgress(stderr: NodeJS.WriteStream, style: () => LineStyle): Progress {
  let tree: ProgressTree = new Map()
  let drawn = 0
  let paused = 0
  const draw = () => {
    if (paused > 0) return
    const lines = treeLines(tree, Date.now(), style()).slice(0, Math.max(1, (stderr.rows || 24) - 2))
    stderr.write(`${UP_AND_CLEAR(drawn)}${lines.map((line) => `${line}\n`).join('')}`)
    drawn = lines.length
  }
  const timer = setInterval(draw, REDRAW_MS)
  timer.unref()
  return {
    take(events) {
      tree = events.reduce(reduceProgress, tree)
    },
    pause() {
      draw()
      paused++
      drawn = 0 // what stands there stays; the next picture begins below
      return () => void paused--
    },
    end() {
      clearInterval(timer)
      draw()
    },
  }
}

/** At most one line a run in this time, but for its start and its end. */
const LINE_MS = 1_000

function plainProgress(stderr: NodeJS.WriteStream, style: LineStyle): Progress {
  let tree: ProgressTree = new Map()
  const last = new Map<RunId, number>()
  const say = (event: OffshootEvent) => {
    const before = tree
    tree = reduceProgress(tree, event)
    const run = event.runId && tree.get(event.runId)
    if (!run || tree === before || event.type === 'part.delta') return
    const quiet = event.type === 'run.progress' && event.at - (last.get(run.runId) ?? 0) < LINE_MS
    if (quiet) return
    if (event.type === 'run.progress') last.set(run.runId, event.at)
    stderr.write(`${runLine(run, event.at, style)}\n`)
  }
  return { take: (events) => events.forEach(say), pause: () => () => {}, end: () => {} }
}
