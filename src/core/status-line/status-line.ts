import { wasRefused } from '../finish-reason.ts'
import type { QueueLine, RunError, WaitingFor } from '../run.ts'
import {
  isFinal,
  isStopped,
  stopCause,
  type EndReason,
  type RunReason,
  type RunStatus,
} from '../run-status.ts'
import { activityWords, type Activity } from './activity.ts'
import { belowCounts, childWait, subagents, type ChildRun } from './child-counts.ts'

/** As stored, and as sent. */
type Wait = { readonly [K in 'code' | 'until']?: WaitingFor[K] | undefined } & Pick<
  WaitingFor,
  'detail' | 'since'
>

/** The fields of a branch's latest run that its status line needs. */
export interface StatusRun {
  readonly branchId: string
  readonly status: RunStatus
  readonly reason: RunReason | null
  readonly endReason: EndReason | null
  /** Default: false. */
  readonly background?: boolean | undefined
  readonly waitingFor: Wait | null
  readonly pausing?: 'user' | 'parent' | null | undefined
  readonly error?: (Pick<RunError, 'message'> & Partial<Pick<RunError, 'code'>>) | null | undefined
  readonly queuePosition: number | null
  readonly queuedAt: number
  readonly startedAt: number | null
  readonly endedAt: number | null
}

/** Known facts around a run; unknown ones are left out. */
export interface StatusFacts {
  readonly activity?: Activity | undefined
  /** The latest run of each subagent started on the branch. */
  readonly children?: readonly ChildRun[] | undefined
  /** The latest run of each subagent at any depth below the branch. Default: `children`. */
  readonly below?: readonly ChildRun[] | undefined
  /** The oldest open approval or question below the branch. */
  readonly askBelow?: string | undefined
  /** The current state of the run that started it. */
  readonly parent?: Pick<StatusRun, 'status' | 'endedAt'> | undefined
  /** Unread items in the inbox of the branch. */
  readonly unread?: UnreadCounts | undefined
  /** Open approvals and questions of the run, oldest first. */
  readonly asks?: readonly string[] | undefined
  /** Number of queued runs of the conversation. */
  readonly queueLength?: number | undefined
  /** What they wait for. Default: a slot of the conversation. */
  readonly queueLine?: QueueLine | undefined
  /** Whether a live process drives the conversation. Default: true. */
  readonly isDriven?: boolean | undefined
  /** The person, in the words. Default: `you`; a document that others read has a name. */
  readonly person?: string | undefined
}

export interface UnreadCounts {
  readonly reports: number
  readonly messages: number
}

/** A verb of the command line and the page, with its argument; null: none. */
export interface StatusVerb {
  readonly name: 'approve' | 'answer' | 'continue' | 'recover'
  readonly id: string | null
}

/** What a branch does or waits for, the same on every surface. Times in milliseconds since the epoch. */
export interface StatusLine {
  /** In two to six words: `Waiting for 1 of 3 subagents`. */
  readonly state: string
  /** What it does, or why it does nothing: `2 cancelled`. null: the state says everything. */
  readonly detail: string | null
  readonly since: number | null
  /** When it continues by itself, if known. */
  readonly until: number | null
  /** The verb that helps; null: nothing to do. */
  readonly verb: StatusVerb | null
}

/** The status line of a branch, from its latest run and the facts around it. */
export function statusLine(run: StatusRun, facts: StatusFacts = {}): StatusLine {
  if (!isStopped(run.status) && facts.isDriven === false) return abandoned(run)
  if (!isStopped(run.status) && run.pausing) return pausing(run, facts)
  if (!isStopped(run.status) && facts.asks?.[0] !== undefined) return asking(run, facts.asks[0])
  switch (run.status) {
    case 'queued':
      return queued(run, facts)
    case 'running':
      return running(run, facts)
    case 'waiting':
      return waiting(run, facts)
    case 'paused':
      return { ...line(run, 'Paused', pauseDetail(run, facts)), verb: goOn(run.branchId) }
    case 'failed':
      return failed(run)
    case 'completed':
      return completed(run, facts)
    case 'cancelled':
      return line(run, 'Cancelled', cancelWords(run, facts))
  }
}

function line(run: StatusRun, state: string, detail: string | null = null): StatusLine {
  return { state, detail, since: sinceOf(run), until: null, verb: null }
}

function sinceOf({ waitingFor, endedAt, startedAt, queuedAt }: StatusRun): number {
  return endedAt ?? waitingFor?.since ?? startedAt ?? queuedAt
}

function goOn(branchId: string): StatusVerb {
  return { name: 'continue', id: branchId }
}

/** Its process has exited. */
function abandoned(run: StatusRun): StatusLine {
  const verb = { name: 'recover', id: null } as const
  return { ...line(run, 'Left behind', `its process exited while it was ${run.status}`), since: null, verb }
}

/** A refused request would be refused again: its error says what to do instead. */
function failed(run: StatusRun): StatusLine {
  const about = line(run, 'Failed', run.error?.message ?? null)
  return wasRefused(run) ? about : { ...about, verb: goOn(run.branchId) }
}

/** It pauses at its next boundary. Until then, `continue` revokes the pause. */
function pausing(run: StatusRun, facts: StatusFacts): StatusLine {
  const before = { ...run, pausing: null }
  const now = statusLine(before, facts)
  const what = run.status === 'running' ? now.detail : lowerFirst(now.state)
  const by = run.pausing === 'parent' ? pausedWith(run, facts) : `asked ${byPerson(facts)}`
  // an answer ends the wait; `continue` would revoke the pause, which a reader of the question does not want
  const isAsking = now.verb?.name === 'approve' || now.verb?.name === 'answer'
  const first = isAsking ? 'after your answer' : what && `first: ${what}`
  const detail = first ? `${by}; ${first}` : by
  // the time of the pause request is unknown, and the time of the current wait would mislead
  return { ...now, state: 'Pausing', detail, since: null, verb: isAsking ? now.verb : goOn(run.branchId) }
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

/**
 * Runs of other conversations wait for a slot of the process too, so the place within this conversation means nothing.
 */
function queued(run: StatusRun, { queueLength, queueLine }: StatusFacts): StatusLine {
  const { queuePosition, queuedAt, waitingFor } = run
  if (waitingFor?.code === 'budget') return line(run, 'Waiting for budget', waitingFor.detail)
  if (queuePosition === null) return line(run, 'Queued')
  if (queueLine === 'process')
    return { ...line(run, 'Queued', 'every slot of its process is taken'), since: queuedAt }
  const of = queueLength === undefined ? '' : ` of ${Math.max(queueLength, queuePosition)}`
  return { ...line(run, `Queued (number ${queuePosition}${of})`), since: queuedAt }
}

function running(run: StatusRun, { activity }: StatusFacts): StatusLine {
  const about = line(run, 'Running', activity ? activityWords(activity) : null)
  return activity ? { ...about, since: activity.since } : about
}

/** A question to a person takes precedence over other waits. */
function asking(run: StatusRun, id: string): StatusLine {
  const asks = run.reason === 'approval' || run.reason === 'question'
  const about = line(run, 'Waiting for you', asks ? (run.waitingFor?.detail ?? null) : null)
  return { ...about, verb: answerTo(id) }
}

function answerTo(id: string): StatusVerb {
  return { name: id.startsWith('que_') ? 'answer' : 'approve', id }
}

function waiting(run: StatusRun, facts: StatusFacts): StatusLine {
  const { waitingFor, reason } = run
  const about = line(run, 'Waiting', waitingFor?.detail ?? null)
  switch (reason) {
    case 'approval':
    case 'question':
      return { ...about, state: `Waiting for ${personOf(facts)}` }
    case 'children':
      return waitingForChildren(run, about, facts)
    case 'retry':
      return { ...about, state: retryState(waitingFor), until: waitingFor?.until ?? null }
    default:
      return about
  }
}

function retryState(waitingFor: Wait | null): string {
  return waitingFor?.code === 'budget' ? 'Waiting for budget' : 'Waiting for the provider'
}

function waitingForChildren(run: StatusRun, about: StatusLine, { children }: StatusFacts): StatusLine {
  const wait = children && childWait(children, run.waitingFor?.since ?? 0)
  if (!wait) return { ...about, state: `Waiting for ${run.waitingFor?.detail ?? 'subagents'}`, detail: null }
  const { all, left, detail, stuckAt } = wait
  const state = `Waiting for ${left === all ? subagents(all) : `${left} of ${subagents(all)}`}`
  return { ...about, state, detail, verb: stuckAt === null ? null : goOn(stuckAt) }
}

/**
 * A done run may have active or waiting runs below it. A delivered report wakes it, unless a person paused everything:
 * then the report waits until somebody continues the branch.
 */
function completed(run: StatusRun, { children = [], below = children, ...facts }: StatusFacts): StatusLine {
  const { askBelow, isDriven = true, unread } = facts
  const { words, isOpen, pausedAt } = belowCounts(below, isDriven)
  const waits = unreadWords(unread)
  const about = line(run, 'Done', leftWords(waits, words))
  if (isOpen && !isDriven) return { ...about, verb: { name: 'recover', id: null } }
  if (isOpen && askBelow !== undefined) return { ...about, verb: answerTo(askBelow) }
  if (waits !== null) return { ...about, verb: goOn(run.branchId) }
  return { ...about, verb: pausedAt === null ? null : goOn(pausedAt) }
}

/** What waits on the branch of a done run, and what is active below it; null: nothing. */
export function leftWords(...words: readonly (string | null)[]): string | null {
  return words.filter((each) => each !== null).join(', ') || null
}

/** `1 report waits to be read`; null: nothing waits. */
export function unreadWords(
  { reports, messages }: UnreadCounts = { reports: 0, messages: 0 },
): string | null {
  const words = (count: number, what: string) =>
    count === 0 ? null : `${count} ${what}${count === 1 ? ' waits' : 's wait'} to be read`
  return leftWords(words(reports, 'report'), words(messages, 'message'))
}

/**
 * A background subagent that its parent's call cancelled ended before its parent: a parent that waits for a subagent
 * makes no call. A parent cancelled together with its subagents ends last.
 */
function cancelWords({ endReason, endedAt, background = false }: StatusRun, facts: StatusFacts): string {
  const { parent } = facts
  if (endReason === 'restart') return 'its program was asked to stop'
  if (endReason !== 'parent') return byPerson(facts)
  const isLater = !background || (endedAt ?? 0) >= (parent?.endedAt ?? 0)
  const isWith = !parent || (parent.status === 'cancelled' && isLater)
  return isWith ? 'with its parent' : 'by its parent'
}

/**
 * A subagent paused after its parent had stopped was paused with everything: a person paused all, or the program ended.
 * A parent paused together with its subagents stops last.
 */
function pausedWith({ endedAt }: Pick<StatusRun, 'endedAt'>, { parent }: StatusFacts): string {
  if (!parent || !isStopped(parent.status)) return 'with its parent'
  const wasFirst = isFinal(parent.status) || endedAt === null || (parent.endedAt ?? endedAt) < endedAt
  return wasFirst ? 'with the conversation' : 'with its parent'
}

/** Runs below it may be active or waiting, or paused with it. */
function pauseDetail(run: StatusRun, facts: StatusFacts): string | null {
  const { children = [], below = children, isDriven = true, unread } = facts
  const why = [pauseWords(run, facts), leftWords(unreadWords(unread), belowCounts(below, isDriven).words)]
  return why.filter((words) => words !== null).join('; ') || null
}

function personOf({ person = 'you' }: StatusFacts): string {
  return person
}

function byPerson(facts: StatusFacts): string {
  return `by ${personOf(facts)}`
}

function pauseWords(run: StatusRun, facts: StatusFacts): string | null {
  const { reason } = run
  if (reason === 'parent') return pausedWith(run, facts)
  if (reason === 'user') return byPerson(facts)
  return reason === null ? null : (PAUSES[reason] ?? stopCause(run))
}

const PAUSES: Readonly<Partial<Record<RunReason, string>>> = {
  restart: 'its program exited or abandoned it',
  budget: 'budget',
  stall: 'no progress',
}
