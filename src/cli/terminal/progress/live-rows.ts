import type { RunId } from '../../../core/ids.ts'
import { addCost } from '../../../core/usage.ts'
import { durationWords } from '../../../client/format-figures.ts'
import { groupsOf, runsOf, type RunGroup, type RunNode } from './turn-groups.ts'
import { answerRows, row, runRows, type LineStyle, type Piece } from './progress-rows.ts'
import type { ProgressTree, RunLine } from './progress-tree.ts'
import { drawable, widthOf } from './text-width.ts'
import { money, needsYou, plural, took } from './progress-text.ts'

export interface LiveStyle extends LineStyle {
  readonly maxRows: number
}

/** What goes on now, in at most so many rows: what needs a person first, what is done last to be left out. */
export function liveRows(
  tree: ProgressTree,
  printed: ReadonlySet<RunId>,
  now: number,
  given: LiveStyle,
): string[] {
  const style = { ...given, tree }
  const groups = groupsOf(tree, printed)
  const main = mainRows(tree, groups, now, style)
  const entries = groups.flatMap((group) => entriesOf(group, now, style))
  const { shown, hidden } = choose(entries, groups.length + main.length, style.maxRows)
  const below = groups.flatMap((group) => {
    return [header(group, now, style), ...shown.flatMap((each) => (each.group === group ? each.rows : []))]
  })
  const rest = hidden.length > 0 ? [row([{ text: `  … and ${restText(hidden)}`, look: 'dim' }], style)] : []
  const asks = mainOf(tree).some(needsYou)
  return (asks ? [...main, ...below, ...rest] : [...below, ...rest, ...main]).slice(0, style.maxRows)
}

/** A group in full, as it stays on the screen. */
export function groupRows(group: RunGroup, now: number, style: LineStyle): string[] {
  return [header(group, now, style), ...runsOf(group.nodes).flatMap((run) => runRows(run, now, style))]
}

/** How the whole ended: the time of the main agent, and what every run together used. */
export function closingRows(tree: ProgressTree, now: number, given: LineStyle): string[] {
  const style = { ...given, tree }
  const mains = mainOf(tree)
  const last = mains.at(-1)
  if (!last) return []
  const all = [...tree.values()]
  const whole = {
    startedAt: mains[0]!.startedAt,
    toolCalls: toolsOf(all),
    costUsd: costOf(all),
    headline: '',
  }
  return runRows({ ...last, ...whole }, now, style, all.length > mains.length ? ' in all' : '')
}

function mainRows(tree: ProgressTree, groups: readonly RunGroup[], now: number, style: LineStyle): string[] {
  const main = mainOf(tree).at(-1)
  if (!main || main.endedAt !== null) return []
  const waits = main.status === 'waiting' && main.reason === 'children' && !needsYou(main)
  return waits && groups.length > 0 ? [] : [...runRows(main, now, style), ...answerRows(main, style)]
}

function mainOf(tree: ProgressTree): RunLine[] {
  return [...tree.values()].filter((run) => run.depth === 0)
}

interface Entry {
  readonly group: RunGroup
  readonly run: RunLine
  readonly rank: number
  readonly rows: readonly string[]
}

function entriesOf(group: RunGroup, now: number, style: LineStyle): Entry[] {
  const entry = (node: RunNode): Entry[] => {
    const { run, below } = node
    const rows = [...runRows(run, now, style), ...answerRows(run, style)]
    const rank = Math.min(...runsOf([node]).map(rankOf))
    return [{ group, run, rank, rows }, ...below.flatMap(entry)]
  }
  return group.nodes.flatMap(entry)
}

/** The lower, the sooner it is shown. A run is shown before what is below it. */
function rankOf(run: RunLine): number {
  if (needsYou(run)) return 0
  if (run.status === 'queued') return 3 + run.position / 1e6
  if (run.endedAt === null) return 1
  return run.status === 'completed' ? 4 : 2
}

/** Of a line for slots its head says enough. */
const MAX_QUEUED = 3

function choose(entries: readonly Entry[], otherRows: number, maxRows: number) {
  const wanted = entries.filter(({ run }) => run.position <= MAX_QUEUED)
  const rows = wanted.reduce((sum, entry) => sum + entry.rows.length, otherRows)
  const rest = wanted.length < entries.length ? 1 : 0
  const taken = new Set(rows + rest <= maxRows ? wanted : fitting(wanted, maxRows - otherRows - 1))
  return {
    shown: entries.filter((entry) => taken.has(entry)),
    hidden: entries.filter((entry) => !taken.has(entry)).map(({ run }) => run),
  }
}

function fitting(entries: readonly Entry[], maxRows: number): Entry[] {
  let free = maxRows
  return entries
    .toSorted((a, b) => a.rank - b.rank)
    .filter(({ rows }) => {
      free -= rows.length
      return free >= 0
    })
}

function restText(runs: readonly RunLine[]): string {
  return counts(runs)
    .map((text, at) => (at === 0 ? text.replace(' ', ' more ') : text))
    .join(', ')
}

/** "1 failed", "2 done", for each state that there is. */
function counts(runs: readonly RunLine[]): string[] {
  const words = runs.map((run) => (needsYou(run) ? 'waiting for you' : (WORDS[run.status] ?? run.status)))
  return [...Map.groupBy(words, (word) => word)].map(([word, { length }]) => `${length} ${word}`)
}

const WORDS: Readonly<Record<string, string>> = { completed: 'done' }

/** What does not fit as a whole is left out. */
function header({ nodes }: RunGroup, now: number, style: LineStyle): string {
  const open = runsOf(nodes).some(({ endedAt }) => endedAt === null)
  const pieces = open ? workingHeader(nodes, now) : endedHeader(nodes)
  const fits = (count: number) =>
    widthOf(
      pieces
        .slice(0, count)
        .map(({ text }) => text)
        .join(''),
    ) < style.columns
  return row(
    pieces.filter((_, at) => at < 2 || fits(at + 1)),
    style,
  )
}

function workingHeader(nodes: readonly RunNode[], now: number): Piece[] {
  const runs = nodes.map(({ run }) => run)
  const all = runsOf(nodes)
  const asking = all.filter(needsYou).length
  const away = runs.every(({ background }) => background) ? ' in the background' : ''
  const others = runs.filter(({ status, endedAt }) => endedAt !== null || status === 'queued')
  const working = runs.length - others.length
  const who = working > 0 ? `${nameOf(runs, working)} at work` : nameOf(runs)
  const since = Math.min(...all.map(({ startedAt }) => startedAt))
  const need: Piece = {
    text: ` · ${asking} ${asking === 1 ? 'needs' : 'need'} you`,
    look: ['bold', 'yellow'],
  }
  return [
    { text: '● ', look: asking > 0 ? 'yellow' : 'cyan' },
    { text: `${who}${away}`, look: 'bold' },
    ...(asking > 0 ? [need] : []),
    ...[...counts(others), durationWords(now - since)].map(fact),
  ]
}

function endedHeader(nodes: readonly RunNode[]): Piece[] {
  const runs = nodes.map(({ run }) => run)
  const all = runsOf(nodes)
  const from = Math.min(...all.map(({ startedAt }) => startedAt))
  const time = took(Math.max(...all.map(({ endedAt }) => endedAt!)) - from)
  const done = runs.every(({ status }) => status === 'completed')
  const how = done ? [] : [counts(runs).join(', ')]
  return [
    { text: '● ', look: done ? 'green' : 'yellow' },
    { text: `${nameOf(runs)} ${done ? 'finished' : 'ended'} in ${time}`, look: 'bold' },
    ...[...how, plural(toolsOf(all), 'tool'), money(costOf(all))].map(fact),
  ]
}

function fact(text: string): Piece {
  return { text: ` · ${text}`, look: 'dim' }
}

function nameOf(runs: readonly RunLine[], count = runs.length): string {
  const agent = drawable(runs[0]!.agent)
  const same = runs.every((run) => run.agent === runs[0]!.agent)
  return plural(count, same ? `${agent} subagent` : 'subagent')
}

function toolsOf(runs: readonly RunLine[]): number {
  return runs.reduce((sum, { toolCalls }) => sum + toolCalls, 0)
}

function costOf(runs: readonly RunLine[]): number | null {
  return runs.map(({ costUsd }) => costUsd).reduce(addCost, 0)
}
