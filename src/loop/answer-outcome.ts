import type { RunError } from '../core/run.ts'
import { errorMessage, OffshootError, ProviderError } from '../core/errors.ts'
import { CUT, REFUSED } from '../core/report/answer-texts.ts'
import type { FinishReason } from '../core/finish-reason.ts'
import type { AnswerEnd } from '../model/answer-end.ts'
import type { Answer, CutReason, LoopPorts } from './ports.ts'

const OTHERWISE = 'Rephrase the request, or use another model.'

export type Cut = AnswerEnd & { readonly reason: CutReason }

/** The answer is incomplete: it was cut at the output limit, or because the context window was full. */
export function isCut(end: AnswerEnd): end is Cut {
  return end.reason === 'max_output_tokens' || end.reason === 'context_window'
}

/** Not an answer to the request: the model or its provider refused it. */
export function isRefused(end: AnswerEnd): end is AnswerEnd & { readonly reason: keyof typeof REFUSED } {
  return end.reason in REFUSED
}

/** Remark above the report of a run that a cut answer has paused. */
export function cutNote({ reason, said }: AnswerEnd): string {
  return `${lowerFirst(reason === 'context_window' ? CUT.context_window : CUT.max_output_tokens)}${quoted(said)}`
}

/** Notice in an incomplete answer or a refusal; undefined: none. */
export function endMark(end: AnswerEnd): string | undefined {
  if (isCut(end)) return `${CUT[end.reason]}${quoted(end.said)}`
  return isRefused(end) ? `${REFUSED[end.reason]}${quoted(end.said)}` : undefined
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

/** Why an answer fails its run; undefined: it does not. */
export function refusalOf(
  { end }: Pick<Answer, 'end'>,
  ports: Pick<LoopPorts, 'model'>,
): RunError | undefined {
  const { reason, said } = end
  const { id } = ports.model.info
  if (reason === 'refusal')
    return {
      code: reason,
      message: `${id}: the model refused to answer${quoted(said)}`,
      hint: OTHERWISE,
    }
  if (reason === 'content_filter')
    return {
      code: reason,
      message: `${id}: the provider filtered the answer${quoted(said)}`,
      hint: OTHERWISE,
    }
  return undefined
}

/** The end of a run that failed with an error; undefined: not an error of a run. */
export function failedBy(
  error: unknown,
): { readonly error: RunError; readonly finishReason?: FinishReason } | undefined {
  if (!(error instanceof OffshootError)) return undefined
  const message = errorMessage(error)
  if (error instanceof ProviderError && error.isFiltered)
    return {
      error: { code: 'content_filter', message, hint: OTHERWISE },
      finishReason: 'content_filter',
    }
  return { error: { code: error.code, message, ...(error.hint ? { hint: error.hint } : {}) } }
}

/** Why the text of an answer is unusable, as for a summary; undefined: it ended normally. */
export function unusableEnd(
  answer: Pick<Answer, 'end'>,
  ports: Pick<LoopPorts, 'model'>,
): string | undefined {
  const { end } = answer
  if (end.reason === 'stop') return undefined
  if (isCut(end)) return cutNote(end)
  return refusalOf(answer, ports)?.message ?? `the answer ended with ${end.reason}${quoted(end.said)}`
}

/** An answer without text, after a conclusion was requested. */
export function emptyAnswer({ end }: Pick<Answer, 'end'>, { model }: Pick<LoopPorts, 'model'>): RunError {
  return {
    code: 'empty_answer',
    message: `${model.info.id}: the answer was empty, and so was the requested conclusion${quoted(end.said)}`,
  }
}

function quoted(said: string | null): string {
  return said === null ? '' : ` (the provider said: ${said})`
}
