import type { Receipts } from '../../core/receipt.ts'
import type { StoredRun } from '../../core/run.ts'
import type { RunResult } from '../../runtime/views/run-result.ts'
import { pausedSubagents } from '../stream-json/paused-subagents.ts'

/** The object of `--output-format json` (docs/output.md): snake_case, totals of the whole tree. */
export function resultDocument(result: RunResult): object {
  return {
    conversation_id: result.conversationId,
    run_id: result.runId,
    status: result.status,
    reason: result.reason,
    end_reason: result.endReason,
    finish_reason: result.finishReason,
    text: result.text,
    ...(result.output === undefined ? {} : { structured_output: result.output }),
    ...(result.note ? { note: result.note } : {}),
    ...(result.error ? { error: result.error } : {}),
    usage: usageDocument(result.usage),
    cost_usd: result.costUsd,
    turns: result.turns,
    tool_calls: result.toolCalls,
    receipts: receiptsDocument(result.receipts),
    subagents: result.subagents.map((run) => subagentDocument(run, result)),
    paused_subagents: pausedSubagents(result),
    permission_denials: result.denials.map(({ runId, agent, tool, title, reason, detail }) => ({
      run_id: runId,
      agent,
      tool,
      title,
      reason,
      detail,
    })),
    duration_ms: result.durationMs,
  }
}

function subagentDocument(run: RunResult['subagents'][number], result: RunResult): object {
  const parent = result.subagents.find((each) => each.id === run.parentRunId)
  return {
    task_id: run.branchId,
    run_id: run.id,
    parent_task_id: parent?.branchId ?? null,
    agent: run.agent,
    model: run.model,
    description: run.description,
    status: run.status,
    end_reason: run.endReason,
    finish_reason: run.finishReason ?? null,
    ...(run.reportNote ? { note: run.reportNote } : {}),
    turns: run.turns,
    tool_calls: run.toolCalls,
    started_at: run.startedAt,
    ended_at: run.endedAt,
    usage: usageDocument(run.usage),
    cost_usd: run.costUsd,
    receipts: receiptsDocument(run.receipts),
  }
}

function receiptsDocument({
  changed,
  read,
  commands,
  hosts,
  connections = [],
  denied,
  errors,
  unknown,
  more,
}: Receipts): object {
  return {
    files_changed: changed,
    files_read: read,
    commands: commands.map(({ exitCode, ...command }) => ({ ...command, exit_code: exitCode })),
    hosts,
    ...(connections.length > 0 && { connections }),
    denied,
    errors,
    unknown,
    ...(Object.keys(more).length > 0 ? { more } : {}),
  }
}

function usageDocument({ input, output, cacheRead, cacheWrite, reasoning }: StoredRun['usage']): object {
  return {
    input_tokens: input,
    output_tokens: output,
    cache_read_tokens: cacheRead,
    cache_write_tokens: cacheWrite,
    reasoning_tokens: reasoning,
  }
}
