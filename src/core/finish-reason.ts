import type { EndReason, RunStatus } from './run-status.ts'

/** How a provider ended an answer, in one vocabulary for all providers (docs/models.md). */
export const finishReasons = [
  'stop',
  'tool_calls',
  /** The answer was cut at the output limit. */
  'max_output_tokens',
  /** The answer was cut because the context window was full. */
  'context_window',
  'content_filter',
  'refusal',
  'other',
] as const
export type FinishReason = (typeof finishReasons)[number]

/** The model or its provider refused to answer; the same request would be refused again. */
export function wasRefused({
  status,
  error,
}: {
  readonly status: RunStatus
  readonly error?: { readonly code?: string } | null | undefined
}): boolean {
  return status === 'failed' && (error?.code === 'refusal' || error?.code === 'content_filter')
}

/** Ends of a run that an answer causes. Other runs were stopped by something else. */
const ENDS_BY_ANSWER: readonly EndReason[] = [
  'done',
  'error',
  'max_turns',
  'max_output_tokens',
  'context_window',
]

/** How the answer that ended a run ended; null if no answer ended it. The row stores that of its last answer. */
export function finishOfRun({
  endReason,
  finishReason,
}: {
  readonly endReason: EndReason | null
  readonly finishReason?: FinishReason | null
}): FinishReason | null {
  return endReason && ENDS_BY_ANSWER.includes(endReason) ? (finishReason ?? null) : null
}
