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
 * The result of a main run and of those that followed by themselves, with the totals of its tree: each run counts once.
 * Times in milliseconds.
 */
export interface RunResult {
  readonly conversationId: ConversationId
  readonly branchId: BranchId
  readonly runId: RunId
  readonly status: RunStatus
  readonly reason: RunReason | null
  readonly endReason: EndReason | null
  /** How the answer that ended the run had ended, as its provider said; null: no answer ended it (docs/models.md). */
  readonly finishReason: FinishReason | null
  readonly text: string
  /** The value in it that satisfies the schema which it had to (docs/typed-agents.md). */
  readonly output?: Json
  /** Why there is no text, or what is to be said about it. */
  readonly note: string | null
  readonly error: RunError | null
  /** Its own turns; tool calls, usage and cost are those of the tree. */
  readonly turns: number
  readonly toolCalls: number
  readonly usage: Usage
  readonly costUsd: number | null
  /** What it did itself, made by the runtime of its calls; each subagent has its own. */
  readonly receipts: Receipts
  /** Every run below it, in the order in which they began. */
  readonly subagents: readonly SubagentRun[]
  /** Those of them that are paused, each the latest of its branch: nothing goes on with them by itself. */
  readonly pausedSubagents: readonly PausedSubagent[]
  readonly denials: readonly Denial[]
  readonly durationMs: number
}

/** A run as it is stored, without what only the runtime reads. */
export type SubagentRun = Omit<StoredRun, 'stopNo' | 'partialFrom' | 'unreported'> & {
  readonly receipts: Receipts
}

/** `continue` goes on with it: of the command line, of the library, of HTTP. */
export type PausedSubagent = Pick<
  StoredRun,
  'id' | 'branchId' | 'agent' | 'description' | 'reason' | 'endReason'
>

/** A call that was denied because nobody could answer. */
export interface Denial {
  readonly runId: RunId
  readonly agent: string
  readonly tool: string
  readonly title: string
  readonly reason: DenialReason
  /** The same in words, as the model was told. */
  readonly detail: string
}

/**
 * `alone`: without the runs that followed it on its branch. `until said`: only with those before the next that reads what a
 * person has said meanwhile. @throws OffshootError `conflict` where it was deleted.
 */
export function readRunResult(
  store: Reader,
  runId: RunId,
  which: 'all' | 'until said' | 'alone' = 'all',
): RunResult {
  const asked = store.get('runs', runId)
  if (!asked) throw new OffshootError('conflict', `${runId} was deleted meanwhile, with its conversation`)
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
