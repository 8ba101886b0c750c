import type { ArtifactId, BranchId, RunId } from './ids.ts'
import type { Receipts } from './receipt.ts'
import type { EndReason, RunReason, RunStatus } from './run-status.ts'

/** What a run used by the time of its report. */
export interface ReportFigures {
  readonly turns: number
  readonly maxTurns: number
  readonly toolCalls: number
  readonly durationMs: number
  /** null: the price is unknown. */
  readonly costUsd: number | null
}

/**
 * What the runtime knows of a report. The text of the report stands beside it, and is all that the subagent wrote. The
 * envelope that a model reads is made of both (report-envelope.ts), and is stored nowhere.
 */
export interface ReportFacts {
  readonly fromRunId: RunId
  /** The id by which a model calls the subagent. */
  readonly branchId: BranchId
  readonly agent: string
  readonly description: string
  readonly status: RunStatus
  readonly reason: RunReason | null
  readonly endReason: EndReason | null
  /** null: an older program kept none. */
  readonly figures: ReportFigures | null
  /** What must be said about the text: that it is partial, or why there is none. */
  readonly note: string | null
  readonly error: string | null
  /** `json`: the value that satisfies its schema. `summary`: the whole report is longer. */
  readonly form: 'text' | 'json' | 'summary'
  /** What the text lacks of the report: parts of its middle, or what comes after it. */
  readonly lacks: 'middle' | 'rest' | null
  /** The whole text, where it lacks its middle. */
  readonly artifactId?: ArtifactId
  /** What the run did, by its journal, briefly; null: it called no tool. */
  readonly receipts: Receipts | null
  /** Of a text that an older program made: what the model read before and after it. */
  readonly told?: { readonly before: string; readonly after: string }
}

/** What the answer of a call says of a subagent. Its text stands beside it, and is what people read. */
export type SubagentAnswer =
  | (ReportFacts & {
      readonly type: 'report'
      /** What the runtime says before and after it. */
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
      /** Its place in the line for a slot; null: it has one. */
      readonly position: number | null
      /** The budget for which it waits before it gets a place: what others hold of it. */
      readonly waits?: string
      readonly told?: ReportFacts['told']
    })

interface SubagentName {
  readonly branchId: BranchId
  readonly agent: string
}
