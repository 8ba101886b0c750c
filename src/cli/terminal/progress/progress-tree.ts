import type { EventOf, OffshootEvent } from '../../../core/events.ts'
import { timeOfId, type ApprovalId, type BranchId, type CallId } from '../../../core/ids.ts'
import type { QuestionId, RunId } from '../../../core/ids.ts'
import { headline } from '../../../core/report-summary.ts'
import type { QueueLine, WaitingFor } from '../../../core/run.ts'
import type { EndReason, RunReason, RunStatus } from '../../../core/run-status.ts'

interface Ask {
  readonly id: ApprovalId | QuestionId
  /** What people call it; undefined: an older program stored the event. */
  readonly number: number | undefined
  readonly title: string
  readonly at: number
  /** What answers it from another terminal. */
  readonly command: string
}

interface OpenCall {
  readonly id: CallId
  readonly title: string
  readonly status: 'running'
  readonly startedAt: number
}

/** What is shown of one run. Times in milliseconds since the epoch. */
export interface RunLine {
  readonly runId: RunId
  readonly branchId: BranchId
  readonly parentRunId: RunId | null
  /** How many turns its parent had ended when it came: children of the same turn belong together. */
  readonly parentTurn: number
  readonly depth: number
  readonly agent: string
  readonly description: string
  readonly background: boolean
  readonly status: RunStatus
  readonly reason: RunReason | null
  readonly endReason: EndReason | null
  readonly waitingFor: WaitingFor | null
  readonly pausing: 'user' | 'parent' | null
  /** Its place in the queue, 1 for the next; 0 when it does not wait for a slot, which a main run never does. */
  readonly position: number
  /** Of a run that waits for a slot: what the line waits for. */
  readonly line: QueueLine
  /** Turns that have ended. */
  readonly turn: number
  /** Calls that have begun and not ended, the oldest first. */
  readonly calls: readonly OpenCall[]
  /** The kind of the part that is being streamed, and since when. */
  readonly streaming: { readonly kind: string; readonly since: number } | null
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
  if (event.type === 'run.queued' && event.depth > 0)
    return inLine(moveUp(tree, known?.position ?? 0, next).set(runId, next), next)
  return moveUp(tree, known?.position ?? 0, next).set(runId, next)
}

/** What one of them tells of the line is so for all that stand in it. */
function inLine(tree: Map<RunId, RunLine>, { line }: RunLine): ProgressTree {
  for (const run of tree.values())
    if (run.position > 0 && run.line !== line) tree.set(run.runId, { ...run, line })
  return tree
}

/** Behind all that are told to wait. */
function lastPlace(tree: ProgressTree): number {
  return 1 + Math.max(0, ...[...tree.values()].map(({ position }) => position))
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
      return {
        ...(known ?? newLine(tree, event)),
        ...going(event),
        waitingFor: (event.waitingFor ?? null) as WaitingFor | null,
        position: event.waitingFor ? 0 : placeInQueue(tree, event),
        line: event.line ?? 'conversation',
      }
    case 'run.started':
      return { ...(known ?? newLine(tree, event)), ...going(event), startedAt: event.at }
    case 'run.resumed':
      return known && { ...known, ...going(event) }
    case 'run.waiting':
      return known && { ...known, ...waiting(event) }
    case 'run.progress':
      return known && { ...known, pausing: event.pausing ?? null, toolCalls: event.toolCalls }
    case 'turn.completed':
      return known && { ...known, turn: event.turn, streaming: null }
    case 'part.started':
    case 'part.delta':
      return known && known.streaming?.kind !== event.kind
        ? { ...known, streaming: { kind: event.kind, since: timeOfId(event.messageId) } }
        : known
    case 'message.completed':
      return known && event.role === 'assistant' && known.streaming !== null
        ? { ...known, streaming: null }
        : known
    case 'tool.started':
      return known && { ...known, calls: [...withoutCall(known, event.callId), openCall(event)] }
    case 'tool.completed':
    case 'tool.failed':
    case 'tool.denied':
    case 'tool.skipped':
    case 'tool.unknown':
      return known && { ...known, calls: withoutCall(known, event.callId) }
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

function placeInQueue(tree: ProgressTree, { depth, position }: EventOf<'run.queued'>): number {
  return depth === 0 ? 0 : (position ?? lastPlace(tree))
}

function openCall({ callId: id, title, at: startedAt }: EventOf<'tool.started'>): OpenCall {
  return { id, title, status: 'running', startedAt }
}

function withoutCall({ calls }: RunLine, id: CallId): readonly OpenCall[] {
  return calls.filter((call) => call.id !== id)
}

/** A process that takes a run up asks again under the same id. */
function asking(known: RunLine, ask: Ask): RunLine {
  return { ...known, asks: [...answered(known, ask.id).asks, ask] }
}

function answered(known: RunLine, id: Ask['id']): RunLine {
  return { ...known, asks: known.asks.filter((ask) => ask.id !== id) }
}

type RunEvent = Extract<OffshootEvent, { type: `run.${string}` }>
type WaitingEvent = Extract<OffshootEvent, { type: 'run.waiting' }>

function newLine(tree: ProgressTree, event: RunEvent): RunLine {
  const { runId, parentRunId, depth, agent, description, background, status, toolCalls, costUsd, at } = event
  return {
    runId: runId!,
    branchId: event.branchId!,
    parentRunId,
    parentTurn: (parentRunId && tree.get(parentRunId)?.turn) || 0,
    depth,
    agent,
    description,
    background,
    status,
    reason: null,
    endReason: null,
    waitingFor: null,
    pausing: null,
    position: 0,
    line: 'conversation',
    turn: 0,
    calls: [],
    streaming: null,
    asks: [],
    headline: '',
    toolCalls,
    costUsd,
    startedAt: at,
    endedAt: null,
  }
}

function going({ status }: RunEvent) {
  return { status, reason: null, endReason: null, waitingFor: null, position: 0, endedAt: null }
}

function waiting({ reason, waitingFor }: WaitingEvent) {
  return {
    status: 'waiting',
    reason: reason ?? null,
    waitingFor: waitingFor as WaitingFor,
    position: 0,
  } as const
}

function ended(known: RunLine, event: RunEvent): RunLine {
  const { status, toolCalls, costUsd, at } = event
  const text = event.error?.message ?? headline(event.report ?? '')
  const figures = { toolCalls, costUsd, endedAt: at, headline: text, position: 0, asks: [], calls: [] }
  const now = { streaming: null, waitingFor: null, pausing: null }
  const reason = event.reason ?? null
  const endReason = event.endReason ?? null
  return { ...known, ...figures, ...now, status, reason, endReason }
}
