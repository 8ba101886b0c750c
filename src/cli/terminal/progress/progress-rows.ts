import { styleText } from 'node:util'
import { durationWords } from '../../../client/format-figures.ts'
import type { StatusLine } from '../../../core/status-line/status-line.ts'
import type { ProgressTree, RunLine } from './progress-tree.ts'
import { runStatusLine } from './run-status-line.ts'
import { untilWords } from '../status-text.ts'
import { cutToWidth, drawable, padToWidth, widthOf } from './text-width.ts'
import { money, needsYou, outcome, plural } from './progress-text.ts'

export interface LineStyle {
  readonly colour: boolean
  readonly columns: number
  /** Which picture of the spinner stands before what runs. */
  readonly frame: number
  /** What is drawn before the name of a subagent; absent where no agent has an icon, and where each change is a line. */
  readonly iconOf?: ((agent: string) => string) | undefined
  /** What the status line of a run counts its subagents in. */
  readonly tree?: ProgressTree
}

type Look = NonNullable<Exclude<Parameters<typeof styleText>[0], readonly unknown[]>>

/** Text of one look, a part of a row. */
export interface Piece {
  readonly text: string
  readonly look?: Look | readonly Look[]
}

/** Below this a run takes two rows: who, and below it what. */
const NARROW_COLUMNS = 60

/** Deeper runs stand below each other, with their depth as a number. */
const MAX_INDENT = 3

/** One run: mark, agent, task, what it does now or came to, time, tools and, at its end, cost. */
export function runRows(run: RunLine, now: number, style: LineStyle, figuresEnd = ''): string[] {
  const narrow = style.columns < NARROW_COLUMNS
  const who = headOf(run, style, narrow ? 0 : 10)
  const line = runStatusLine(run, style.tree ?? new Map())
  const what = run.endedAt === null ? openTail(run, line, now) : endTail(run, line, figuresEnd)
  const width = style.columns - 1
  if (!narrow) return [row(oneRow(who, what, width), style)]
  const left = ' '.repeat(widthOf(who.lead.text))
  return [
    row([who.lead, who.agent, { text: who.task === '' ? '' : ` ${who.task}` }], style),
    row([{ text: left }, ...fitted(what, width - left.length)], style),
  ]
}

/** How a question of this run is answered from another terminal. */
export function answerRows(run: RunLine, style: LineStyle): string[] {
  const [open] = run.asks
  if (!open) return []
  const left = ' '.repeat(widthOf(headOf(run, { ...style, frame: 0 }, 0).lead.text))
  const { command, id } = open
  const parts =
    left.length + command.length + id.length < style.columns - 1 ? [`${command} ${id}`] : [command, id]
  return parts.map((text) => row([{ text: left }, { text, look: 'yellow' }], style))
}

/** The pieces on one row, never wider than the terminal but for its last column, which stays free. */
export function row(
  pieces: readonly Piece[],
  { columns, colour }: Pick<LineStyle, 'columns' | 'colour'>,
): string {
  let free = Math.max(1, columns - 1)
  let drawn = ''
  for (const { text, look } of pieces) {
    if (free <= 0) break
    const shown = cutToWidth(text, free)
    free -= widthOf(shown)
    drawn +=
      colour && look && shown.trim() ? styleText(look as Look, shown, { validateStream: false }) : shown
    if (shown !== text) break
  }
  return drawn
}

interface Head {
  readonly lead: Piece
  readonly agent: Piece
  readonly task: string
}

function headOf(run: RunLine, { frame, iconOf }: LineStyle, agentColumns: number): Head {
  const { mark, look } = markOf(run, frame)
  const deep = run.depth > MAX_INDENT ? `${run.depth} ` : ''
  const lead = `${'  '.repeat(Math.min(run.depth, MAX_INDENT))}${deep}${mark} `
  const icon = run.depth === 0 ? '' : (iconOf?.(run.agent) ?? '')
  const agent = cutToWidth(drawable(run.agent), 24)
  const task = run.description === run.agent ? '' : drawable(run.description)
  const padded = icon + (task === '' ? agent : padToWidth(agent, agentColumns))
  return {
    lead: { text: lead, look },
    agent: needsYou(run) ? { text: padded, look } : { text: padded },
    task,
  }
}

const SPINNER = ['◐', '◓', '◑', '◒'] as const

function markOf(
  run: RunLine,
  frame: number,
): { readonly mark: string; readonly look: Look | readonly Look[] } {
  if (needsYou(run)) return { mark: '⚑', look: ['bold', 'yellow'] }
  if (run.position > 0) return { mark: '⧗', look: 'gray' }
  switch (run.status) {
    case 'waiting':
      return { mark: '◌', look: 'cyan' }
    case 'paused':
      return { mark: '⏸', look: 'yellow' }
    case 'completed':
      return { mark: '✓', look: 'green' }
    case 'failed':
      return { mark: '✗', look: 'red' }
    case 'cancelled':
      return { mark: '⊘', look: 'magenta' }
    default:
      return { mark: SPINNER[frame % SPINNER.length]!, look: 'cyan' }
  }
}

/** What is said of a run: `text` may be cut, what stands before and behind it may not. */
interface Tail {
  readonly before: Piece
  readonly text: Piece
  readonly after: Piece
}

function openTail(run: RunLine, line: StatusLine, now: number): Tail {
  if (needsYou(run)) return askTail(run, line, now)
  if (run.status === 'queued') return tail(isMain(run) ? 'Starting' : lineWords(line), '', '')
  const tools = run.toolCalls > 0 ? ` · ${plural(run.toolCalls, 'tool')}` : ''
  const until = line.until === null ? '' : `, ${untilWords(line.until, now)}`
  return tail('', lineWords(line), `${until} · ${durationWords(now - run.startedAt)}${tools}`)
}

/** It needs no slot: it waits for nobody. */
function isMain({ depth }: RunLine): boolean {
  return depth === 0
}

/** What runs says what it does alone: its mark says that it runs. */
function lineWords({ state, detail }: StatusLine): string {
  if (detail === null) return state
  return state === 'Running' ? detail : `${state}: ${detail}`
}

function endTail(run: RunLine, { detail }: StatusLine, figuresEnd: string): Tail {
  const figures =
    [outcome(run, detail), plural(run.toolCalls, 'tool'), money(run.costUsd)].join(' · ') + figuresEnd
  const below = run.status === 'completed' && detail !== null ? ` · ${detail}` : ''
  const headline = drawable(run.headline)
  return {
    before:
      run.status === 'completed' && !below
        ? { text: figures }
        : { text: figures + below, look: markOf(run, 0).look },
    text: {
      text: headline === '' ? '' : isStoppedShort(run) ? ` · “${headline}”` : `: ${headline}`,
      look: 'dim',
    },
    after: { text: '' },
  }
}

/** Behind the words of the runtime its own are quoted: nobody takes them for the reason. */
function isStoppedShort({ status }: RunLine): boolean {
  return status === 'paused' || status === 'cancelled'
}

function askTail(run: RunLine, line: StatusLine, now: number): Tail {
  const [open] = run.asks
  const look = ['bold', 'yellow'] as const
  const more = run.asks.length > 1 ? ` (1 of ${run.asks.length})` : ''
  return {
    before: { text: '' },
    text: {
      text: drawable(
        `${line.state}${open?.number === undefined ? '' : ` #${open.number}`}: ${open?.title ?? line.detail ?? ''}`,
      ),
      look,
    },
    after: { text: `${more} · waiting ${durationWords(now - (open?.at ?? line.since ?? now))}`, look },
  }
}

function tail(before: string, text: string, after: string): Tail {
  return { before: { text: before }, text: { text: drawable(text) }, after: { text: after, look: 'dim' } }
}

function oneRow({ lead, agent, task }: Head, what: Tail, width: number): Piece[] {
  const named = [lead, agent]
  const fixed = [...named, what.before, what.after].reduce((sum, { text }) => sum + widthOf(text), 0)
  const free = width - fixed - widthOf(DASH) - (task === '' ? 0 : 1)
  const [taskColumns, textColumns] = share(free, widthOf(task), widthOf(what.text.text))
  const shownTask = taskColumns > 0 ? ` ${cutToWidth(task, taskColumns)}` : ''
  const text = { ...what.text, text: cutTo(what.text.text, textColumns) }
  return [...named, { text: shownTask }, { text: DASH, look: 'dim' }, what.before, text, what.after]
}

const DASH = ' — '

/** Less than this of a text says nothing. */
const MIN_COLUMNS = 8

/** Columns for a task and for what is said of it, where both may have to be cut. */
function share(free: number, task: number, text: number): readonly [number, number] {
  if (task + text <= free) return [task, text]
  const forText = Math.min(text, Math.max(free - task, Math.floor(free * 0.4)))
  return forText < Math.min(text, MIN_COLUMNS) ? [Math.min(task, free), 0] : [free - forText, forText]
}

function fitted({ before, text, after }: Tail, width: number): Piece[] {
  const free = width - widthOf(before.text) - widthOf(after.text)
  const columns = free < Math.min(MIN_COLUMNS, widthOf(text.text)) ? 0 : free
  return [before, { ...text, text: cutTo(text.text, columns) }, after]
}

function cutTo(text: string, columns: number): string {
  return columns > 0 ? cutToWidth(text, columns) : ''
}
