import type { FinishReason } from '../core/finish-reason.ts'
import { damaged } from './damaged-export.ts'
import type { ExportedRun } from './document.ts'

const WHOLE: readonly FinishReason[] = ['stop', 'tool_calls', 'other']
const REFUSALS: readonly string[] = ['refusal', 'content_filter'] satisfies FinishReason[]

/**
 * Checks that a run's end matches its last answer: a cut or refused answer completes no run, and a run stopped by such
 * an answer has one. @throws OffshootError `usage` with the place.
 */
export function checkFinish({ status, endReason, finishReason, error }: ExportedRun, place: string): void {
  if (!finishReason) return
  const wrong = (how: string) =>
    damaged(`${place}.finishReason`, `${how} does not fit a last answer that ended with ${finishReason}`)
  if (status === 'completed' && !WHOLE.includes(finishReason)) throw wrong('the status completed')
  if (endReason === 'max_output_tokens' && finishReason !== endReason)
    throw wrong(`the endReason ${endReason}`)
  if (status === 'failed' && error && REFUSALS.includes(error.code) && finishReason !== error.code)
    throw wrong(`the error ${error.code}`)
}
