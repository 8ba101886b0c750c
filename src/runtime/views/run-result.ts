import { OffshootError } from '../../core/errors.ts'
import { elapsedMs } from '../../core/elapsed.ts'
import { denialReasonOf, type DenialReason } from '../../core/denial-reason.ts'
import { finishOfRun, type FinishReason } from '../../core/finish-reason.ts'
import type { BranchId, ConversationId, RunId } from '../../core/ids.ts'
import type { Receipts } from '../../core/receipt.ts'
import type { Json } from '../../core/json.ts'
import type { StoredRun, RunError } from '../../core/run.ts'
import type { EndReason, RunReason, RunStatus } from '../../core/run-status.ts'
import { pausedBelow } from '../../core/status-line/paused-below.ts'
import { addCost, addUsage, type Usage } from '../../core/usage.ts'
import type { Reader } from '../../store/port.ts'
import { readReceipts } from '../run/receipts.ts'
import { reportText } from '../log/stored-events.ts'
import { below, followers } from './runs-of-message.ts'

/**
 * The result of a main run and of runs that followed by themselves, with the totals of its tree: each run counts once.
 * Times in milliseconds.
 */
export interface RunResult {
  readonly conversationId: ConversationId
  readonly branchId: BranchId
  readonly runId: RunId
  readonly status: RunStatus
  readonly reason: RunReason | null
  readonly endReason: EndReason | null
  /** How the last answer of the run ended, as its provider reported it; null: no answer ended it (docs/models.md). */
  readonly finishReason: FinishReason | null
  readonly text: string
  /** The value in it that satisfies the required schema (docs/typed-agents.md). */
  readonly output?: Json
  /** Why there is no text, or a remark about it. */
  readonly note: string | null
  readonly error: RunError | null
  /** Its own turns; tool calls, usage and cost are totals of the tree. */
  readonly turns: number
  readonly toolCalls: number
  readonly usage: Usage
  readonly costUsd: number | null
  /** Its own receipts, recorded by the runtime; each subagent has its own. */
  readonly receipts: Receipts
  /** Every run below it, in order of start. */
  readonly subagents: readonly SubagentRun[]
  /** The paused ones, each the latest of its branch: none resumes by itself. */
  readonly pausedSubagents: readonly PausedSubagent[]
  readonly denials: readonly Denial[]
  readonly durationMs: number
}

/** A stored run, without fields that only the runtime reads. */
export type SubagentRun = Omit<StoredRun, 'stopNo' | 'partialFrom' | 'unreported'> & {
  readonly receipts: Receipts
}

/** The verb `continue` resumes it, on the command line, in the library or over HTTP. */
export type PausedSubagent = Pick<
  StoredRun,
  'id' | 'branchId' | 'agent' | 'description' | 'reason' | 'endReason'
>

/** A call denied because nobody could answer. */
export interface Denial {
  readonly runId: RunId
  readonly agent: string
  readonly tool: string
  readonly title: string
  readonly reason: DenialReason
  /** The reason as text for the model. */
  readonly detail: string
}

/**
 * `alone`: without the runs that followed on its branch. `until said`: only those before the next run that answers a
 * person's message. @throws OffshootError `conflict` if it was deleted.
 */
export function readRunResult(
  store: Reader,
  runId: RunId,
  which: 'all' | 'until said' | 'alone' = 'all',
): RunResult {
  const asked = store.get('runs', runId)
  if (!asked)
    throw new OffshootError('conflict', `${runId} was deleted in the meantime, with its conversation`)
  const { conversationId, branchId, queuedAt } = asked
  const runs = store.find('runs', { where: { conversationId }, orderBy: 'id' })
  const first = runs.filter((each) => each.id === runId)
  const later = which === 'alone' ? [] : runs.filter((each) => each.branchId === branchId && each.id > runId)
  const main = [...first, ...followers(store, conversationId, later, which === 'until said')]
  const run = main.at(-1)!
  const subagents = below(runs, main)
  const tree = [...main, ...subagents]
  const { status, reason, endReason, error, endedAt } = run
  return {
    conversationId,
    branchId,
    runId,
    status,
    reason,
    endReason,
    finishReason: finishOfRun(run),
    text: reportText(store, run),
    ...(run.output === undefined || run.output === null ? {} : { output: run.output }),
    note: run.reportNote,
    error,
    turns: main.reduce((sum, each) => sum + each.turns, 0),
    toolCalls: tree.reduce((sum, each) => sum + each.toolCalls, 0),
    usage: tree.map((each) => each.usage).reduce(addUsage),
    costUsd: tree.map((each) => each.costUsd).reduce(addCost),
    receipts: readReceipts(store, idsOf(main)),
    subagents: subagents.map(({ stopNo: _stop, partialFrom: _from, unreported: _told, ...each }) => ({
      ...each,
      finishReason: finishOfRun(each),
      receipts: readReceipts(store, [each.id]),
    })),
    pausedSubagents: pausedSubagents(runs, main),
    denials: tree.flatMap((each) => denialsOf(store, each)),
    durationMs: elapsedMs({ queuedAt, endedAt }),
  }
}

function pausedSubagents(runs: readonly StoredRun[], main: readonly StoredRun[]): PausedSubagent[] {
  return pausedBelow(runs, (run) => main.includes(run)).map(toPausedSubagent)
}

export function toPausedSubagent(run: StoredRun): PausedSubagent {
  const { id, branchId, agent, description, reason, endReason } = run
  return { id, branchId, agent, description, reason, endReason }
}

function idsOf(runs: readonly StoredRun[]): RunId[] {
  return runs.map(({ id }) => id)
}

function denialsOf(store: Reader, run: StoredRun): Denial[] {
  return store
    .find('tool_calls', { where: { runId: run.id, status: 'denied' } })
    .filter((call) => call.error?.code === 'unattended')
    .map(({ tool, title, error }) => ({
      runId: run.id,
      agent: run.agent,
      tool,
      title,
      reason: denialReasonOf(error!),
      detail: error!.message,
    }))
}
