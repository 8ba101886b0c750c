import type { UnknownCall } from '../run/recovered-run.ts'
import type { ToolCallPart } from '../../core/message.ts'
import type { ToolCall } from '../../core/run.ts'
import { isStopped } from '../../core/run-status.ts'
import type { EndedCall } from '../../loop/ports.ts'
import { titleLine } from '../../tools/define-tool.ts'
import type { Deps } from '../context/deps.ts'
import { eventScope, type LiveRun } from '../run/live-run.ts'
import { leftJournal, type OpenJournalPorts } from './open-journal.ts'
import { readOpenTurn } from './open-turn.ts'
import type { Change } from '../log/recorder.ts'
import type { Reader } from '../../store/port.ts'
import { isTaskName } from '../task/task-input.ts'

export type EndLeftPorts = OpenJournalPorts & Pick<Deps, 'approvals' | 'questions'>

/**
 * Ends the calls that an exited process left open, before the run resumes. Running calls that may not run again get the
 * result `unknown` (invariant R2), and partial text is kept for people only (invariant R3).
 */
export function endOpenCalls(change: Change, deps: OpenJournalPorts, run: LiveRun): void {
  endStreaming(change, run)
  const begun = openCalls(change.tx, run).filter((call) => isRunning(call) && !call.row?.repeatable)
  if (begun.length > 0) writeEnds(change, deps, run, begun)
}

/**
 * The same for a run that does not resume: each call gets a result, and open asks are closed. An active subagent
 * answers its call; the report of a paused one arrives through the inbox, because no call waits for it.
 */
export function endLeft(change: Change, deps: EndLeftPorts, run: LiveRun): void {
  endStreaming(change, run)
  deps.approvals.withdrawLeft(change, run)
  deps.questions.withdrawLeft(change, run)
  const open = openCalls(change.tx, run, (child) => !child.row.background && !isStopped(child.row.status))
  if (open.length > 0) writeEnds(change, deps, run, open)
}

/**
 * The calls of a run with unknown effect, including those that an earlier attempt found, because it may have died
 * before it reported them.
 */
export function unknownOf(reader: Reader, { row }: LiveRun): UnknownCall[] {
  return reader.find('tool_calls', { where: { runId: row.id, status: 'unknown' } }).map(asUnknown)
}

/** The same, plus the calls that `endOpenCalls`, or `endLeft` if the run `ends`, will mark as unknown. */
export function unknownToBe(reader: Reader, run: LiveRun, ends: boolean): UnknownCall[] {
  const begun = openCalls(reader, run).filter((call) => isRunning(call) && !isSpawn(run, call))
  const cut = begun.flatMap(({ row }) => (row && (ends || !row.repeatable) ? asUnknown(row) : []))
  return [...unknownOf(reader, run), ...cut]
}

function asUnknown(call: ToolCall): UnknownCall {
  return { id: call.id, runId: call.runId, began: beganText(call) }
}

interface OpenCall {
  readonly part: ToolCallPart
  readonly row: ToolCall | undefined
}

/** The calls that no subagent will answer; `answers`: whether a call's subagent will. */
function openCalls(
  reader: Reader,
  run: LiveRun,
  answers: (child: LiveRun) => boolean = () => true,
): OpenCall[] {
  const isAnswered = ({ callId }: ToolCallPart) => {
    const child = run.children.get(callId)
    return child !== undefined && answers(child)
  }
  const turn = readOpenTurn(reader, run.row)
  if (!turn) return []
  const ended = new Set(turn.results.map(({ callId }) => callId))
  return turn.calls
    .filter((part) => !ended.has(part.callId) && !isAnswered(part))
    .map((part) => ({ part, row: turn.rows.find(({ id }) => id === part.callId) }))
}

function writeEnds(change: Change, deps: OpenJournalPorts, run: LiveRun, calls: readonly OpenCall[]): void {
  const journal = (run.journal = leftJournal(deps, change.tx, run)) // later writers know what is stored here
  const ends = calls.map((call) => (isSpawn(run, call) ? endOfSpawn(call) : endOf(call)))
  for (const end of ends) journal.writeResult(change, end)
}

function isRunning({ row }: OpenCall): boolean {
  return row?.status === 'running'
}

function isSpawn(run: LiveRun, call: OpenCall): boolean {
  return isRunning(call) && (run.children.has(call.part.callId) || isTaskName(call.part.tool))
}

function endOf({ part, row }: OpenCall): EndedCall {
  const title = row?.title ?? titleLine(part.tool)
  const error =
    row?.status === 'running'
      ? { code: 'unknown', message: `${UNKNOWN}: ${beganText(row)}` }
      : { code: 'interrupted', message: 'not run: the run ended first' }
  const status = row?.status === 'running' ? 'unknown' : 'skipped'
  return { part, title, status, output: { text: error.message }, exitCode: null, error }
}

/** A `task` call is never `unknown`: the state of its subagent is stored, only the answer is missing (invariant R2). */
function endOfSpawn({ part, row }: OpenCall): EndedCall {
  const message = 'not answered: the run ended first; its subagent has a run of its own'
  const error = { code: 'interrupted', message }
  const title = row?.title ?? titleLine(part.tool)
  return { part, title, status: 'failed', output: { text: message }, exitCode: null, error }
}

const UNKNOWN = 'this call was interrupted; its effect is unknown; check before you repeat it'

/** `git push` was started at 12:01:03 UTC (2026-11-21); its result is unknown */
function beganText({ title, startedAt }: ToolCall): string {
  const [date, time] = new Date(startedAt).toISOString().split('T')
  return `\`${title}\` was started at ${time!.slice(0, 8)} UTC (${date}); its result is unknown`
}

function endStreaming(change: Change, run: LiveRun): void {
  const { branchId, id: runId } = run.row
  const where = { branchId, state: 'streaming' } as const
  for (const row of change.tx.find('messages', { where })) {
    if (row.role !== 'assistant' || row.runId !== runId) continue
    change.tx.update('messages', row.id, { state: 'interrupted' })
    const { id: messageId, role, position } = row
    const here = eventScope(run, change.at)
    for (const { part } of change.tx.find('parts', { where: { messageId }, orderBy: 'position' }))
      change.event({
        type: 'part.completed',
        ...here,
        messageId,
        partId: part.id,
        kind: part.type,
        part: { ...part },
      })
    change.event({ type: 'message.completed', ...here, messageId, role, position, state: 'interrupted' })
  }
}
