import { styleText } from 'node:util'
import { terminalLine } from '../../core/terminal-text.ts'
import { cutToWidth } from './width.ts'
import type { ProgressTree, RunLine } from './tree.ts'

export interface LineStyle {
  readonly colour: boolean
  readonly columns: number
}

const MARKS: Readonly<
  Record<string, { mark: string; colour: 'green' | 'red' | 'yellow' | 'cyan' | 'gray' }>
> = {
  queued: { mark: '⧗', colour: 'gray' },
  running: { mark: '◐', colour: 'cyan' },
  waiting: { mark: '⚑', colour: 'yellow' },
  paused: { mark: '⏸', colour: 'yellow' },
  completed: { mark: '✓', colour: 'green' },
  failed: { mark: '✗', colour: 'red' },
  cancelled: { mark: '⊘', colour: 'gray' },
}

/** The subagents of a tree under one header, each on one line; nothing while there are none. */
export function treeLines(tree: ProgressTree, now: number, style: LineStyle): string[] {
  const runs = [...tree.values()]
  const children = runs.filter((run) => run.depth > 0)
  if (children.length === 0) return runs.map((run) => runLine(run, now, style))
  return [header(children, now, style), ...children.map((run) => runLine(run, now, style))]
}

/** One run: agent, task, what it does now or came to, elapsed, tools. */
export function runLine(run: RunLine, now: number, { colour, columns }: LineStyle): string {
  const { mark, colour: hue } = MARKS[run.status] ?? MARKS['running']!
  const figures = ` · ${plural(run.toolCalls, 'tool')} · ${elapsed((run.endedAt ?? now) - run.startedAt)}${money(run)}`
  // a long name or task must not push out what is being done
  const task = cutToWidth(terminalLine(run.description), Math.max(24, Math.floor(columns * 0.4)))
  const agent = cutToWidth(terminalLine(run.agent), 24).padEnd(10)
  const left = `${'  '.repeat(Math.max(0, run.depth))}${mark} ${agent} ${task}`
  const doing = terminalLine(
    run.endedAt === null ? run.action : [stateWord(run), run.headline].filter(Boolean).join(': '),
  )
  const text = cutToWidth(`${left} — ${doing}`, columns - figures.length - 1) + figures
  return colour ? text.replace(mark, styleText(hue, mark, { validateStream: false })) : text
}

function header(children: readonly RunLine[], now: number, { colour, columns }: LineStyle): string {
  const open = children.filter((run) => run.endedAt === null)
  const since = Math.min(...children.map((run) => run.startedAt))
  const until = open.length > 0 ? now : Math.max(...children.map((run) => run.endedAt!))
  const needs = open.filter((run) => run.status === 'waiting' && run.reason === 'approval').length
  const what =
    open.length > 0
      ? `Running ${plural(children.length, 'agent')}`
      : `${plural(children.length, 'agent')} finished`
  const counts = [
    needs > 0 ? `${needs} ${needs === 1 ? 'needs' : 'need'} you` : '',
    `${children.length - open.length} done`,
  ]
    .filter(Boolean)
    .join(' · ')
  const text = cutToWidth(`● ${what} · ${counts} · ${elapsed(until - since)}`, columns - 1)
  return colour ? styleText('bold', text, { validateStream: false }) : text
}

function stateWord({ status, reason }: RunLine): string {
  if (status === 'completed') return 'done'
  return reason ? `${status} (${reason})` : status
}

function elapsed(ms: number): string {
  const seconds = Math.max(0, ms) / 1000
  if (seconds < 60) return `${seconds.toFixed(1)}s`
  return `${Math.floor(seconds / 60)}m${String(Math.floor(seconds % 60)).padStart(2, '0')}s`
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function money({ costUsd, endedAt }: RunLine): string {
  if (endedAt === null) return ''
  return costUsd === null ? ' · cost unknown' : costUsd === 0 ? '' : ` · $${costUsd.toFixed(3)}`
}
