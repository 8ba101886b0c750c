import type { EventOf, OffshootEvent } from '../../../core/events.ts'
import type { ApprovalId, QuestionId, RunId } from '../../../core/ids.ts'
import { headline } from '../../../core/report-summary.ts'

interface Ask {
  readonly id: ApprovalId | QuestionId
  /** What people call it; undefined: an older program stored the event. */
  readonly number: number | undefined
  readonly title: string
  readonly at: number
  /** What answers it from another terminal. */
  readonly command: string
}

/** What is shown of one run. Times in milliseconds since the epoch. */
export interface RunLine {
  readonly runId: RunId
  readonly parentRunId: RunId | null
  /** How many turns its parent had ended when it came: children of the same turn belong together. */
  readonly parentTurn: number
  readonly depth: number
  readonly agent: string
  readonly description: string
  readonly background: boolean
  readonly status: string
  readonly reason: string | null
  /** Its place in the queue, 1 for the next; 0 when it does not wait for a slot, which a main run never does. */
  readonly position: number
  /** Turns that have ended. */
  readonly turn: number
  /** What it does now, in the tool's own words, or what it waits for. */
  readonly action: string
  readonly waitsSince: number
  /** What a person is asked, the oldest first. */
  readonly asks: readonly Ask[]
  readonly headline: string
  readonly toolCalls: number
  readonly costUsd: number | null
  readonly startedAt: number
  readonly endedAt: number | null
}

export type ProgressTree = ReadonlyMap<RunId, RunLine>

/** The tree after one more event; the same object when nothing that is shown has changed. */
export function reduceProgress(tree: ProgressTree, event: OffshootEvent): ProgressTree {
  const { runId } = event
  if (runId === null) return tree
  const known = tree.get(runId)
  const next = nextLine(tree, known, event)
  if (next === known || next === undefined) return tree
  return moveUp(tree, known?.position ?? 0, next).set(runId, next)
}

/** Only who comes to the queue is told a place; everybody behind one who leaves it moves up. */
function moveUp(tree: ProgressTree, from: number, { runId, position: to }: RunLine): Map<RunId, RunLine> {
  const moved = new Map(tree)
  if (from === to) return moved
  for (const run of tree.values()) {
    if (run.position === 0 || run.runId === runId) continue
    const left = from > 0 && run.position > from ? run.position - 1 : run.position
    moved.set(run.runId, { ...run, position: to > 0 && left >= to ? left + 1 : left })
  }
  return moved
}

function nextLine(tree: ProgressTree, known: RunLine | undefined, event: OffshootEvent): RunLine | undefined {
  switch (event.type) {
    case 'run.queued':
      return { ...(known ?? newLine(tree, event)), ...going(event), position: placeInQueue(event) }
    case 'run.started':
      return { ...(known ?? newLine(tree, event)), ...going(event), startedAt: event.at }
    case 'run.resumed':
      return known && { ...known, ...resumed(known), ...going(event) }
    case 'run.waiting':
      return known && { ...known, ...waiting(event) }
    case 'run.progress':
      return (
        known && { ...known, action: event.lastAction?.title ?? known.action, toolCalls: event.toolCalls }
      )
    case 'turn.completed':
      return known && { ...known, turn: event.turn }
    case 'part.delta':
      return known && known.action !== WRITING && event.kind === 'text'
        ? { ...known, action: WRITING }
        : known
    case 'approval.requested': {
      const { approvalId: id, number, title, at } = event
      return known && asking(known, { id, number, title, at, command: 'offshoot approve' })
    }
    case 'question.asked': {
      const { questionId: id, number, question: title, at } = event
      return known && asking(known, { id, number, title, at, command: 'offshoot answer' })
    }
    case 'approval.answered':
      return known && answered(known, event.approvalId)
    case 'question.answered':
      return known && answered(known, event.questionId)
    case 'run.completed':
    case 'run.failed':
    case 'run.cancelled':
    case 'run.paused':
      return known && ended(known, event)
    default:
      return known
  }
}

function placeInQueue({ depth, position }: EventOf<'run.queued'>): number {
  return depth === 0 ? 0 : (position ?? 1)
}

/** A process that takes a run up asks again under the same id. */
function asking(known: RunLine, ask: Ask): RunLine {
  return { ...known, asks: [...answered(known, ask.id).asks, ask] }
}

function answered(known: RunLine, id: Ask['id']): RunLine {
  return { ...known, asks: known.asks.filter((ask) => ask.id !== id) }
}

const WRITING = 'writing'

type RunEvent = Extract<OffshootEvent, { type: `run.${string}` }>
type WaitingEvent = Extract<OffshootEvent, { type: 'run.waiting' }>

function newLine(tree: ProgressTree, event: RunEvent): RunLine {
  const { runId, parentRunId, depth, agent, description, background, status, toolCalls, costUsd, at } = event
  return {
    runId: runId!,
    parentRunId,
    parentTurn: (parentRunId && tree.get(parentRunId)?.turn) || 0,
    depth,
    agent,
    description,
    background,
    status,
    reason: null,
    position: 0,
    turn: 0,
    action: 'starting',
    waitsSince: at,
    asks: [],
    headline: '',
    toolCalls,
    costUsd,
    startedAt: at,
    endedAt: null,
  }
}

function going({ status }: RunEvent) {
  return { status, reason: null, position: 0, endedAt: null }
}

/** What it waited for is not what it does now. */
function resumed({ reason }: RunLine): { action?: string } {
  if (reason === 'retry') return { action: 'trying again' }
  return reason === 'children' ? { action: 'reading reports' } : {}
}

function waiting({ reason, waitingFor }: WaitingEvent) {
  const { detail, since } = waitingFor
  return { status: 'waiting', reason: reason ?? null, position: 0, action: detail, waitsSince: since }
}

function ended(known: RunLine, event: RunEvent): RunLine {
  const { status, toolCalls, costUsd, at } = event
  const text = event.error?.message ?? headline(event.report ?? '')
  const figures = { toolCalls, costUsd, endedAt: at, headline: text, position: 0, asks: [] }
  return { ...known, ...figures, status, reason: event.reason ?? null }
}
