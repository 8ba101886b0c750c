import type { StoredRun } from '../../core/run.ts'
import { addCost, addUsage, noUsage, type Usage } from '../../core/usage.ts'
import { modelInfo } from '../../model/models-and-prices.ts'
import type { RunResult } from '../../runtime/views/run-result.ts'
import { pausedSubagents } from './paused-subagents.ts'
import { stopReason } from './stop-reason.ts'
import type { Envelope, StreamLine } from './stream-line.ts'
import { uncachedInput, usageShape } from './usage-shape.ts'

export interface PermissionDenial {
  readonly tool_name: string
  readonly tool_use_id: string
  readonly tool_input: object
}

export interface ResultFacts {
  /** Of the main run. */
  readonly model: string
  readonly modelMs: number
  readonly denials: readonly PermissionDenial[]
  readonly envelope: Envelope
}

/**
 * The last line: usage, cost and denials of the whole tree, the turns of the main run. `success` is `completed` alone.
 */
export function resultLine(
  result: RunResult,
  { model, modelMs, denials, envelope }: ResultFacts,
): StreamLine {
  const modelUsage = usageByModel(result, model)
  const costs = Object.values(modelUsage).map(({ costUSD }) => costUSD)
  return {
    type: 'result',
    ...outcome(result),
    duration_ms: result.durationMs,
    duration_api_ms: modelMs,
    num_turns: result.turns,
    total_cost_usd: result.costUsd ?? costs.reduce((sum, each) => sum + each, 0),
    usage: usageShape(result.usage),
    modelUsage,
    permission_denials: denials,
    ...(result.pausedSubagents.length > 0 ? { paused_subagents: pausedSubagents(result) } : {}),
    ...envelope,
  }
}

function outcome(result: RunResult) {
  if (result.status === 'completed') {
    const typed = result.output === undefined ? {} : { structured_output: result.output }
    return { subtype: 'success', is_error: false, result: result.text, ...typed, stop_reason: 'end_turn' }
  }
  const { finishReason } = result
  // a turn limit and a failure of ours are no end that a provider gave
  const isGiven = finishReason !== 'stop' && finishReason !== 'tool_calls'
  const stop_reason = isGiven ? stopReason(finishReason) : null
  return { subtype: errorSubtype(result), is_error: true, errors: errorsOf(result), stop_reason }
}

function errorSubtype({ status, endReason }: RunResult): string {
  if (status === 'paused' && endReason === 'max_turns') return 'error_max_turns'
  if (status === 'paused' && endReason === 'budget') return 'error_max_budget_usd'
  return 'error_during_execution'
}

function errorsOf({ status, reason, endReason, note, error }: RunResult): readonly string[] {
  if (error) return [error.hint ? `${error.message} (${error.hint})` : error.message]
  const why = [...new Set([reason, endReason])].filter((each) => each !== null).join(', ')
  return [why ? `${status} (${why})` : status, ...(note ? [note] : [])]
}

interface Share {
  readonly usage: Usage
  readonly costUsd: number | null
}

/** The main run's share is what the subagents leave of the totals. */
function usageByModel({ usage, costUsd, subagents }: RunResult, model: string) {
  const below = subagents.reduce(addShare, { usage: noUsage, costUsd: 0 })
  const shares = new Map<string, Share>([
    [model, { usage: without(usage, below.usage), costUsd: costWithout(costUsd, below.costUsd) }],
  ])
  for (const run of subagents) {
    const share = shares.get(run.model)
    shares.set(run.model, share ? addShare(share, run) : run)
  }
  return Object.fromEntries([...shares].map(([id, share]) => [id, modelShape(id, share)]))
}

function addShare(share: Share, run: Pick<StoredRun, 'usage' | 'costUsd'>): Share {
  return { usage: addUsage(share.usage, run.usage), costUsd: addCost(share.costUsd, run.costUsd) }
}

function without(all: Usage, some: Usage): Usage {
  return {
    input: all.input - some.input,
    output: all.output - some.output,
    cacheRead: all.cacheRead - some.cacheRead,
    cacheWrite: all.cacheWrite - some.cacheWrite,
    reasoning: all.reasoning - some.reasoning,
  }
}

function costWithout(all: number | null, some: number | null): number | null {
  return all === null || some === null ? null : Math.max(0, all - some)
}

/** The format wants a number for every cost: an unknown one is 0 and `costBasis` says so. */
function modelShape(id: string, { usage, costUsd }: Share) {
  const { window, maxOutput } = modelInfo(id)
  return {
    inputTokens: uncachedInput(usage),
    outputTokens: usage.output,
    thinkingTokens: usage.reasoning,
    cacheReadInputTokens: usage.cacheRead,
    cacheCreationInputTokens: usage.cacheWrite,
    webSearchRequests: 0,
    costUSD: costUsd ?? 0,
    contextWindow: window ?? 0,
    maxOutputTokens: maxOutput ?? 0,
    ...(costUsd === null ? { costBasis: 'unknown' } : {}),
  }
}
