import type { ArtifactId, BranchId, RunId } from './ids.ts'
import type { Receipts } from './receipt.ts'
import type { EndReason, RunReason, RunStatus } from './run-status.ts'

/** Figures of a run at the time of its report. */
export interface ReportFigures {
  readonly turns: number
  readonly maxTurns: number
  readonly toolCalls: number
  readonly durationMs: number
  /** null: the price is unknown. */
  readonly costUsd: number | null
}

/**
 * What the runtime knows about a report. The report's text is stored separately and is only what the subagent wrote.
 * The model's envelope combines both (report-envelope.ts) and is never stored.
 */
export interface ReportFacts {
  readonly fromRunId: RunId
  /** The id by which a model addresses the subagent. */
  readonly branchId: BranchId
  readonly agent: string
  readonly description: string
  readonly status: RunStatus
  readonly reason: RunReason | null
  readonly endReason: EndReason | null
  /** null: an older program kept none. */
  readonly figures: ReportFigures | null
  /** Remark about the text: it is partial, or why there is none. */
  readonly note: string | null
  readonly error: string | null
  /** `json`: the value that satisfies its schema. `summary`: the full report is longer. */
  readonly form: 'text' | 'json' | 'summary'
  /** What is missing from the text: its middle, or its end. */
  readonly lacks: 'middle' | 'rest' | null
  /** The full text, if its middle is missing. */
  readonly artifactId?: ArtifactId
  /** Brief receipts of the run from its journal; null: it called no tool. */
  readonly receipts: Receipts | null
  /** For text of an older program: what the model read before and after it. */
  readonly told?: { readonly before: string; readonly after: string }
}

/** What a call's answer reports about a subagent. The text is stored separately, for people. */
export type SubagentAnswer =
  | (ReportFacts & {
      readonly type: 'report'
      /** The runtime's text before and after it. */
      readonly lead?: string
      readonly rest?: string
    })
  | (SubagentName & {
      readonly type: 'transcript'
      readonly status: RunStatus
      readonly reason: RunReason | null
      readonly rest?: string
    })
  | (SubagentName & {
      readonly type: 'started'
      readonly description: string
      /** Place in the queue for a slot; null: it has one. */
      readonly position: number | null
      /** The budget that it waits for before it gets a place, and who holds it. */
      readonly waits?: string
      readonly told?: ReportFacts['told']
    })

interface SubagentName {
  readonly branchId: BranchId
  readonly agent: string
}
