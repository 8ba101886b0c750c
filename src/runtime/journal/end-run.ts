import { isFinal, isReported, isStopped, state, type CancelEnd } from '../../core/run-status.ts'
import type { NextState } from '../../core/run-steps.ts'
import { partialReport } from '../../loop/partial-report.ts'
import type { Outcome, Report } from '../../loop/ports.ts'
import { childEnded } from '../run/child-waits.ts'
import { deliverToBranchAbove } from './person-spawn-report.ts'
import { addToInbox } from '../run/inbox.ts'
import {
  changeRun,
  checkUnchanged,
  eventScope,
  type CallWriter,
  type HasRow,
  type LiveRun,
  type StopReason,
} from '../run/live-run.ts'
import { endLeft, type EndLeftPorts } from './open-calls.ts'
import { openCallWriter, type OpenJournalPorts } from './open-journal.ts'
import { readLeft } from './open-turn.ts'
import type { Change } from '../log/recorder.ts'
import { answeredReport, handedReport, type ReportPorts } from './report-text.ts'
import type { ScopePart } from '../context/scope.ts'
import { reportText } from '../log/stored-events.ts'

export type EndRunPorts = EndLeftPorts & ReportPorts

/** Stores the end, results of open calls, the report so far, and what the parent is owed, in one transaction. */
export function endRun(
  change: Change,
  { deps, tree }: ScopePart<EndRunPorts, 'below' | 'receipts'>,
  run: LiveRun,
  outcome: Outcome,
): void {
  const { report } = outcome
  const { messageId: reportMessageId, note: reportNote, partialFrom = null } = report
  const to = endState(outcome, run.stop)
  if (to.status === 'cancelled')
    for (const below of tree.below(run.row.branchId)) cancelPaused(change, deps, below)
  if (to.status === 'cancelled' || to.status === 'failed') endLeft(change, deps, run)
  const stopNo = run.row.stopNo + 1
  const { toolCalls, lastAction, usage, costUsd, limits } = run.row
  const output = report.output ?? null
  // a stopped run may resume with its last answer
  const ended = outcome.type === 'stopped' ? {} : { finishReason: outcome.finishReason ?? null }
  changeRun(change, run, to, {
    row: {
      reportMessageId,
      reportNote,
      partialFrom,
      output,
      stopNo,
      toolCalls,
      lastAction,
      usage,
      costUsd,
      limits,
      ...ended,
    },
    lastText: { report: reportMessageId ? report.text : null },
  })
  tree.receipts.add(change.tx, run.row)
  if (isOwed(run)) handOver(change, deps, run, report)
}

/** A cancel is final for everything below, including earlier pauses. Other ends leave stopped runs as they are. */
function cancelPaused(change: Change, deps: EndRunPorts, run: LiveRun): void {
  if (run.row.status === 'paused') cancelLeft(change, deps, run, 'parent')
}

/** Ends an undriven run: a paused one, or one left by an exited process. */
export function cancelLeft(change: Change, deps: EndRunPorts, run: LiveRun, by: CancelEnd): void {
  if (isFinal(run.row.status)) return
  checkUnchanged(change, run)
  endLeft(change, deps, run)
  const wasPaused = run.row.status === 'paused'
  const waitedFor = !wasPaused || !isOwed(run)
  const report = wasPaused ? storedReport(change, run) : reportLeft(change, run)
  const { messageId: reportMessageId, note: reportNote, partialFrom = null, text } = report
  const { toolCalls } = run.row
  const ended = { stopNo: run.row.stopNo + 1, reportMessageId, reportNote, partialFrom, toolCalls }
  const lastText = { report: reportMessageId ? text : null }
  changeRun(change, run, state.cancelled(by), { row: ended, lastText })
  if (waitedFor) handOver(change, deps, run, report)
}

function storedReport({ tx }: Change, { row }: LiveRun): Report {
  const { reportMessageId: messageId, reportNote: note, partialFrom } = row
  return { messageId, text: reportText(tx, row), note, ...(partialFrom ? { partialFrom } : {}) }
}

/** Its text so far when its process exited. */
function reportLeft({ tx }: Change, { row }: LiveRun): Report {
  return partialReport(readLeft(tx, row).texts, 'the process that ran it exited')
}

function endState(outcome: Outcome, stop: StopReason | undefined): NextState {
  switch (outcome.type) {
    case 'completed':
      return state.completed
    case 'limit':
      return state.paused(outcome.why)
    case 'failed':
      return { ...state.failed, error: outcome.error }
    case 'stopped': {
      const reason = stop ?? (outcome.reason as StopReason)
      return reason.verb === 'cancel' ? state.cancelled(reason.by) : state.paused(reason.why)
    }
  }
}

/**
 * While a child is paused by the user, its parent or a restart, the call that waits for it stays open (invariant D2).
 */
export function isOwed({ row }: HasRow): boolean {
  return !isStopped(row.status) || isReported(row)
}

/** What the parent is owed: the result of the waiting call, or an inbox item. */
function handOver(change: Change, deps: ReportPorts & OpenJournalPorts, run: LiveRun, report: Report): void {
  const { parent } = run
  if (!parent) {
    if (!run.row.unreported) deliverToBranchAbove(change, deps, run, report)
    return
  }
  parent.journal?.reread(change.tx) // a change with results may not have been stored
  const writer =
    run.call && !run.row.background && openCallWriter(deps, change.tx, parent, run.call.part.callId)
  const handed = { parent, run, report }
  if (writer) answerCall(change, deps, handed, writer)
  else if (!run.row.unreported && !isAnsweredByCancel(run)) putInInbox(change, deps, handed)
  childEnded(change, deps, parent, run)
}

/** Whoever cancelled it gets its report as the answer: its parent, or what ended its parent too. */
function isAnsweredByCancel({ row, stop }: LiveRun): boolean {
  const isUnknownToParent = stop?.verb === 'cancel' && stop.isUnknownToParent
  return row.status === 'cancelled' && row.endReason !== 'user' && !isUnknownToParent
}

/** A report and the run to which it goes. */
interface Handed {
  readonly parent: LiveRun
  readonly run: LiveRun
  readonly report: Report
}

function putInInbox(change: Change, deps: ReportPorts, { parent, run, report }: Handed): void {
  const { conversationId, branchId } = parent.row
  const handed = handedReport(change, deps, run.row, report)
  const from = { fromRunId: run.row.id, stopNo: run.row.stopNo }
  const item = { conversationId, branchId, kind: 'result', mode: 'follow_up', ...handed, ...from } as const
  addToInbox(change, deps.newId, eventScope(parent, change.at), item)
}

function answerCall(
  change: Change,
  deps: ReportPorts,
  { parent, run, report }: Handed,
  writer: CallWriter,
): void {
  const { part, title } = run.call!
  const status = run.row.status === 'failed' || run.row.status === 'cancelled' ? 'failed' : 'completed'
  const output = answeredReport(handedReport(change, deps, run.row, report))
  writer.writeResult(change, { part, title, status, output, exitCode: null, error: run.row.error })
  change.event({
    type: 'report.delivered',
    ...eventScope(parent, change.at),
    callId: part.callId,
    fromRunId: run.row.id,
    toBranchId: parent.row.branchId,
    status: run.row.status,
  })
}
