import type { OffshootEvent } from '../../core/events.ts'
import type { RunId } from '../../core/ids.ts'
import { headline } from '../../core/report.ts'

/** What is shown of one run. Times in milliseconds since the epoch. */
export interface RunLine {
  readonly runId: RunId
  readonly depth: number
  readonly agent: string
  readonly description: string
  readonly status: string
  readonly reason: string | null
  /** What it does now, in the tool's own words. */
  readonly action: string
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
  const next = nextLine(known, event)
  return next === known || next === undefined ? tree : new Map(tree).set(runId, next)
}

function nextLine(known: RunLine | undefined, event: OffshootEvent): RunLine | undefined {
  switch (event.type) {
    case 'run.queued':
    case 'run.started':
      return known ? { ...known, status: event.status, endedAt: null } : newLine(event)
    case 'run.resumed':
      return known && { ...known, ...resumed(known), status: event.status, reason: null }
    case 'run.waiting':
      return (
        known && {
          ...known,
          status: 'waiting',
          reason: event.reason ?? null,
          action: event.waitingFor.detail,
        }
      )
    case 'run.progress':
      return (
        known && { ...known, action: event.lastAction?.title ?? known.action, toolCalls: event.toolCalls }
      )
    case 'part.delta':
      return known && known.action !== WRITING && event.kind === 'text'
        ? { ...known, action: WRITING }
        : known
    case 'run.completed':
    case 'run.failed':
    case 'run.cancelled':
    case 'run.paused':
      return known && ended(known, event)
    default:
      return known
  }
}

/** What it waited for is not what it does now. */
function resumed({ reason }: RunLine): { action?: string } {
  return reason === 'retry' ? { action: 'trying again' } : {}
}

const WRITING = 'writing'

type RunEvent = Extract<OffshootEvent, { type: `run.${string}` }>

function newLine(event: RunEvent): RunLine {
  const { runId, depth, agent, description, status, toolCalls, costUsd, at } = event
  const start = { reason: null, action: 'starting', headline: '', startedAt: at, endedAt: null }
  return { runId: runId!, depth, agent, description, status, toolCalls, costUsd, ...start }
}

function ended(known: RunLine, event: RunEvent): RunLine {
  const { status, toolCalls, costUsd, at } = event
  const text = event.error?.message ?? headline(event.report ?? '')
  return { ...known, status, reason: event.reason ?? null, toolCalls, costUsd, endedAt: at, headline: text }
}
