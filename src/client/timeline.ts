import type { EventOf, OffshootEvent } from '../core/events.ts'
import type { BranchId, RunId } from '../core/ids.ts'
import type { RunRow } from '../protocol/run.ts'
import { shared } from '../protocol/shared.ts'

/** What a run did at a time. `person`: it waited for a person. */
export type SpanKind = 'queued' | 'model' | 'tool' | 'person' | 'children' | 'retry' | 'paused'

export interface Span {
  readonly kind: SpanKind
  readonly from: number
  /** null: it is still active. */
  readonly to: number | null
  /** Title of a tool, or what it waits for. */
  readonly label: string
}

export interface Mark {
  readonly kind: 'approval' | 'question' | 'error' | 'compaction'
  readonly at: number
  readonly label: string
}

export interface TimelineRun {
  readonly id: RunId
  readonly branchId: BranchId
  readonly parentRunId: RunId | null
  readonly depth: number
  readonly agent: string
  readonly model: string
  readonly task: string
  readonly status: RunRow['status']
  readonly usage: RunRow['usage']
  readonly costUsd: number | null
  readonly spans: readonly Span[]
  readonly marks: readonly Mark[]
  /** Calls in progress. */
  readonly open: readonly string[]
}

/** All runs by id, oldest first. */
export type Timeline = ReadonlyMap<RunId, TimelineRun>

/** What all runs did when, from all stored events of the conversation (`after: 0`) in order. */
export function reduceTimeline(timeline: Timeline, event: OffshootEvent): Timeline {
  if (event.runId === null || event.sub !== undefined) return timeline
  const known = timeline.get(event.runId)
  const next = event.type.startsWith('run.')
    ? withState(known ?? begun(event as RunEvent), event as RunEvent)
    : known && withFact(known, event)
  return next === undefined || next === known ? timeline : new Map(timeline).set(event.runId, next)
}

type RunEvent = Extract<OffshootEvent, { type: `run.${string}` }>

function begun(event: RunEvent): TimelineRun {
  const { branchId, parentRunId, depth, agent, model, description: task, status, usage, costUsd } = event
  const none = { spans: [], marks: [], open: [] }
  const about = { id: event.runId!, branchId: branchId!, parentRunId, depth, agent, model, task }
  return { ...about, status, usage, costUsd, ...none }
}

function withState(run: TimelineRun, event: RunEvent): TimelineRun {
  const { status, usage, costUsd, model, at } = event
  const next = { ...run, status, usage, costUsd, model }
  if (event.type === 'run.backgrounded') return next
  if (status === 'running') return withSpan(next, at, run.open.length > 0 ? 'tool' : 'model', '')
  if (status === 'queued') return withSpan(next, at, 'queued', '')
  if (event.type === 'run.waiting') return withSpan(next, at, waitOf(event), event.waitingFor.detail)
  const failed = event.error ? withMark(next, { kind: 'error', at, label: event.error.message }) : next
  if (status === 'paused') return withSpan({ ...failed, open: [] }, at, 'paused', pauseLabel(event))
  return shared.isFinal(status) ? { ...failed, open: [], spans: closed(run.spans, at) } : failed
}

/** For a limit: which one. */
function pauseLabel({ reason, endReason }: RunEvent): string {
  return reason === 'limit' && endReason ? `limit: ${endReason.replaceAll('_', ' ')}` : (reason ?? '')
}

function waitOf({ reason }: EventOf<'run.waiting'>): SpanKind {
  if (reason === 'children' || reason === 'retry') return reason
  return 'person'
}

function withFact(run: TimelineRun, event: OffshootEvent): TimelineRun {
  switch (event.type) {
    case 'tool.started':
      return atWork({ ...run, open: [...run.open, event.callId] }, event.at, event.title)
    case 'tool.failed':
      return ended(withMark(run, { kind: 'error', at: event.at, label: event.title }), event)
    case 'tool.completed':
    case 'tool.denied':
    case 'tool.skipped':
    case 'tool.unknown':
      return ended(run, event)
    case 'approval.requested':
      return withMark(run, { kind: 'approval', at: event.at, label: event.title })
    case 'question.asked':
      return withMark(run, { kind: 'question', at: event.at, label: event.question })
    case 'context.compacted':
      return withMark(run, { kind: 'compaction', at: event.at, label: `${event.messages} messages` })
    case 'turn.completed':
      return run
    default:
      return run
  }
}

function ended(run: TimelineRun, { callId, at }: EventOf<'tool.completed'> | { callId: string; at: number }) {
  const open = run.open.filter((id) => id !== callId)
  return open.length === run.open.length ? run : atWork({ ...run, open }, at, '')
}

/** Waiting takes precedence over its tool calls. */
function atWork(run: TimelineRun, at: number, label: string): TimelineRun {
  if (run.status !== 'running') return run
  return withSpan(run, at, run.open.length > 0 ? 'tool' : 'model', label)
}

function withSpan(run: TimelineRun, at: number, kind: SpanKind, label: string): TimelineRun {
  const last = run.spans.at(-1)
  if (last && last.to === null && last.kind === kind) return run
  return { ...run, spans: [...closed(run.spans, at), { kind, from: at, to: null, label }] }
}

/** Omits spans of no duration. */
function closed(spans: readonly Span[], at: number): readonly Span[] {
  const last = spans.at(-1)
  if (!last || last.to !== null) return spans
  return last.from === at ? spans.slice(0, -1) : spans.with(-1, { ...last, to: at })
}

function withMark(run: TimelineRun, mark: Mark): TimelineRun {
  return { ...run, marks: [...run.marks, mark] }
}
