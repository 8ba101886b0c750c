import type { ToolCallPart } from '../core/message.ts'
import type { ToolCall } from '../core/run.ts'
import type { EndedCall } from '../loop/ports.ts'
import { titleLine } from '../tools/define-tool.ts'
import type { Deps } from './deps.ts'
import { place, type LiveRun } from './live-run.ts'
import { leftJournal } from './open-journal.ts'
import { readOpenTurn } from './open-turn.ts'
import type { Change } from './recorder.ts'

/**
 * Ends what a process that is gone left of a run's calls, before the run goes on: those that were running and may not run
 * again get the result `unknown` (R2), and text that was streaming is kept for people only (R3). Returns their titles.
 */
export function endBegun(change: Change, deps: Deps, run: LiveRun): string[] {
  endStreaming(change, run)
  const begun = openCalls(change, run).filter(({ row }) => row?.status === 'running' && !row.repeatable)
  return begun.length > 0 ? writeEnds(change, deps, run, begun) : []
}

/** The same for a run that does not go on: each of its calls gets a result, and nothing is asked any more. */
export function endLeft(change: Change, deps: Deps, run: LiveRun): string[] {
  endStreaming(change, run)
  deps.approvals.withdrawLeft(change, run)
  deps.questions.withdrawLeft(change, run)
  const open = openCalls(change, run)
  return open.length > 0 ? writeEnds(change, deps, run, open) : []
}

interface OpenCall {
  readonly part: ToolCallPart
  readonly row: ToolCall | undefined
}

/** Those that no subagent will answer. */
function openCalls({ tx }: Change, run: LiveRun): OpenCall[] {
  const turn = readOpenTurn(tx, run.row)
  if (!turn) return []
  const ended = new Set(turn.results.map(({ callId }) => callId))
  return turn.calls
    .filter(({ callId }) => !ended.has(callId) && !run.children.has(callId))
    .map((part) => ({ part, row: turn.rows.find(({ id }) => id === part.callId) }))
}

function writeEnds(change: Change, deps: Deps, run: LiveRun, calls: readonly OpenCall[]): string[] {
  const journal = leftJournal(deps, change.tx, run)
  const ends = calls.map(endOf)
  for (const end of ends) journal.writeResult(change, end)
  return ends.filter(({ status }) => status === 'unknown').map(({ title }) => title)
}

function endOf({ part, row }: OpenCall): EndedCall {
  const title = row?.title ?? titleLine(part.tool)
  const error =
    row?.status === 'running'
      ? { code: 'unknown', message: unknownText(title, row.startedAt) }
      : { code: 'interrupted', message: 'not run: the run ended before' }
  const status = row?.status === 'running' ? 'unknown' : 'skipped'
  return { part, title, status, output: { text: error.message }, exitCode: null, error }
}

function unknownText(title: string, startedAt: number): string {
  const when = new Date(startedAt).toISOString()
  return `this call was interrupted; its effect is not known; check before you repeat it (${title}, started ${when})`
}

function endStreaming(change: Change, run: LiveRun): void {
  const { branchId, id: runId } = run.row
  const where = { branchId, state: 'streaming' } as const
  for (const row of change.tx.find('messages', { where })) {
    if (row.role !== 'assistant' || row.runId !== runId) continue
    change.tx.update('messages', row.id, { state: 'interrupted' })
    const { id: messageId, role, position } = row
    const here = place(run, change.at)
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
