import type { FinishReason } from '../../core/finish-reason.ts'

/** In the words of that format; null where it has none. */
export function stopReason(finish: FinishReason | null): string | null {
  return finish === null ? null : WORDS[finish]
}

const WORDS: Readonly<Record<FinishReason, string | null>> = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  max_output_tokens: 'max_tokens',
  context_window: 'model_context_window_exceeded',
  content_filter: 'refusal',
  refusal: 'refusal',
  other: null,
}
