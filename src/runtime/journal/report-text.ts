import { elapsedMs } from '../../core/elapsed.ts'
import { bounds } from '../../core/limits.ts'
import type { ToolOutput } from '../../core/message.ts'
import type { ReportFacts } from '../../core/report-facts.ts'
import type { StoredRun } from '../../core/run.ts'
import type { Report } from '../../loop/ports.ts'
import type { Reader } from '../../store/port.ts'
import type { Deps } from '../context/deps.ts'
import { boundOutput } from '../run/bounded-output.ts'
import { receiptsBeside } from '../run/receipts.ts'
import type { Change } from '../log/recorder.ts'

/** Text around a report for models: label, figures, error, note and receipts. Bytes. */
const ENVELOPE_BYTES = 12 * 1024

export type ReportPorts = Pick<Deps, 'config' | 'newId'>

/** A report for delivery: its text, and what the runtime knows about it. */
export interface HandedReport {
  readonly text: string
  readonly report: ReportFacts
}

/**
 * The report for the parent of this run: the value that satisfies its schema, its summary, or its text. A long report
 * is kept in full as an artifact.
 */
export function handedReport(
  change: Change,
  deps: ReportPorts,
  row: StoredRun,
  { output, summary, text: whole, note }: Report,
): HandedReport {
  const maxBytes = Math.min(deps.config.limits.maxReportTokens * 4, bounds.inlineOutputBytes - ENVELOPE_BYTES)
  const form = output !== undefined ? 'json' : summary !== undefined ? 'summary' : 'text'
  const handed = output === undefined ? (summary ?? whole) : JSON.stringify(output)
  const { text, artifactId } = boundOutput(change, deps.newId, {
    conversationId: row.conversationId,
    output: { text: handed },
    maxBytes,
  })
  const facts = reportFacts(change.tx, row, { note, form, lacks: artifactId ? 'middle' : null })
  return { text, report: artifactId ? { ...facts, artifactId } : facts }
}

/** The same as the answer of a call. */
export function answeredReport({ text, report }: HandedReport): ToolOutput {
  const { artifactId } = report
  return { text, subagent: { type: 'report', ...report }, ...(artifactId ? { artifactId } : {}) }
}

/** Current facts about the report of a run. */
export function reportFacts(
  reader: Reader,
  row: StoredRun,
  about: Pick<ReportFacts, 'note' | 'form' | 'lacks'>,
): ReportFacts {
  const { id: fromRunId, branchId, agent, description, status, reason, endReason, error } = row
  const { turns, limits, toolCalls, costUsd } = row
  const durationMs = elapsedMs(row)
  return {
    fromRunId,
    branchId,
    agent,
    description,
    status,
    reason,
    endReason,
    figures: { turns, maxTurns: limits.maxTurns, toolCalls, durationMs, costUsd },
    error: error?.message ?? null,
    receipts: receiptsBeside(reader, row),
    ...about,
  }
}
