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

/** As it is stored, and as it is sent. */
type Wait = { readonly [K in 'code' | 'until']?: WaitingFor[K] | undefined } & Pick<
  WaitingFor,
  'detail' | 'since'
>

/** What of the latest run of a branch its status line is made of. */
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

/** What is known around a run. Each may be left out where it is not known. */
export interface StatusFacts {
  readonly activity?: Activity | undefined
  /** The latest run of each subagent that was started on the branch. */
  readonly children?: readonly ChildRun[] | undefined
  /** The latest run of each subagent at any depth below the branch. Default: `children`. */
  readonly below?: readonly ChildRun[] | undefined
  /** The oldest approval or question that one of those waits for. */
  readonly askBelow?: string | undefined
  /** The run that started it, as it is by now. */
  readonly parent?: Pick<StatusRun, 'status' | 'endedAt'> | undefined
  /** What waits in the inbox of the branch, unread. */
  readonly unread?: UnreadCounts | undefined
  /** The approvals and questions that the run waits for, the oldest first. */
  readonly asks?: readonly string[] | undefined
  /** How many runs of the conversation wait for a slot. */
  readonly queueLength?: number | undefined
  /** What they wait for. Default: a slot of the conversation. */
  readonly queueLine?: QueueLine | undefined
  /** Whether a living process drives the conversation. Default: true. */
  readonly isDriven?: boolean | undefined
}

export interface UnreadCounts {
  readonly reports: number
  readonly messages: number
}

/** A verb of the command line and the page, and what it is given; null: nothing. */
export interface StatusVerb {
  readonly name: 'approve' | 'answer' | 'continue' | 'recover'
  readonly id: string | null
}

/** What a branch does or waits for, told the same on every surface. Times in milliseconds since the epoch. */
export interface StatusLine {
  /** In two to six words: `Waiting for 1 of 3 subagents`. */
  readonly state: string
  /** What it does, or why it does nothing: `2 cancelled`. null: the state says everything. */
  readonly detail: string | null
  readonly since: number | null
  /** When it goes on by itself, where that is known. */
  readonly until: number | null
  /** What helps; null: nothing has to be done. */
  readonly verb: StatusVerb | null
}

/** The status line of a branch, of the row of its latest run and what is known around it. */
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

/** The process that drove it has exited. */
function abandoned(run: StatusRun): StatusLine {
  const verb = { name: 'recover', id: null } as const
  return { ...line(run, 'Left behind', `its process exited while it was ${run.status}`), since: null, verb }
}

/** What was refused would be refused again: its error says what to do instead. */
function failed(run: StatusRun): StatusLine {
  const about = line(run, 'Failed', run.error?.message ?? null)
  return wasRefused(run) ? about : { ...about, verb: goOn(run.branchId) }
}

/** It pauses at its next boundary. Until then `continue` takes that back. */
function pausing(run: StatusRun, facts: StatusFacts): StatusLine {
  const before = { ...run, pausing: null }
  const now = statusLine(before, facts)
  const what = run.status === 'running' ? now.detail : lowerFirst(now.state)
  const by = run.pausing === 'parent' ? pausedWith(run, facts) : 'asked by you'
  // an answer ends what it waits for; `continue` takes the pause back, which nobody wants who reads a question
  const isAsking = now.verb?.name === 'approve' || now.verb?.name === 'answer'
  const first = isAsking ? 'once you have answered' : what && `first: ${what}`
  const detail = first ? `${by}; ${first}` : by
  // when it was asked for is not known: the time of what ends first is another one
  return { ...now, state: 'Pausing', detail, since: null, verb: isAsking ? now.verb : goOn(run.branchId) }
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

/** Others wait for a slot of the process too: its place is none among the runs of one conversation. */
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

/** What it asks a person comes before whatever else it waits for. */
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
      return { ...about, state: 'Waiting for you' }
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
 * What is below it may go on, or wait for somebody, though it is done itself. A report that has come for it wakes it, unless
 * a person has paused all: then the report waits until somebody continues the branch.
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

/** What waits on the branch of a run that is done, and what goes on below it; null: nothing. */
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
 * What its parent has cancelled by a call was in the background, and ended before its parent: one that waits for a subagent
 * makes no call. A parent that is cancelled with what is below it ends last.
 */
function cancelWords({ endReason, endedAt, background = false }: StatusRun, { parent }: StatusFacts): string {
  if (endReason === 'restart') return 'its program was told to end'
  if (endReason !== 'parent') return 'by you'
  const isLater = !background || (endedAt ?? 0) >= (parent?.endedAt ?? 0)
  const isWith = !parent || (parent.status === 'cancelled' && isLater)
  return isWith ? 'with its parent' : 'by its parent'
}

/**
 * What pauses a subagent whose parent had stopped before pauses everything: somebody has paused all, or the program was
 * ended. A parent that is paused with what is below it stops last.
 */
function pausedWith({ endedAt }: Pick<StatusRun, 'endedAt'>, { parent }: StatusFacts): string {
  if (!parent || !isStopped(parent.status)) return 'with its parent'
  const wasFirst = isFinal(parent.status) || endedAt === null || (parent.endedAt ?? endedAt) < endedAt
  return wasFirst ? 'with the conversation' : 'with its parent'
}

/** What is below it goes on or waits too, or has paused with it. */
function pauseDetail(run: StatusRun, facts: StatusFacts): string | null {
  const { children = [], below = children, isDriven = true, unread } = facts
  const why = [pauseWords(run, facts), leftWords(unreadWords(unread), belowCounts(below, isDriven).words)]
  return why.filter((words) => words !== null).join('; ') || null
}

function pauseWords(run: StatusRun, facts: StatusFacts): string | null {
  const { reason } = run
  if (reason === 'parent') return pausedWith(run, facts)
  return reason === null ? null : (PAUSES[reason] ?? stopCause(run))
}

const PAUSES: Readonly<Partial<Record<RunReason, string>>> = {
  user: 'by you',
  restart: 'its program ended or left it',
  budget: 'budget',
  stall: 'no progress',
}
