import type { RunError } from '../core/run.ts'
import { errorMessage, OffshootError, ProviderError } from '../core/errors.ts'
import { CUT, REFUSED } from '../core/report/answer-texts.ts'
import type { FinishReason } from '../core/finish-reason.ts'
import type { AnswerEnd } from '../model/answer-end.ts'
import type { Answer, CutReason, LoopPorts } from './ports.ts'

const OTHERWISE = 'Ask in another way, or with another model.'

export type Cut = AnswerEnd & { readonly reason: CutReason }

/** The answer is not whole: it was cut at the output limit, or where the window was full. */
export function isCut(end: AnswerEnd): end is Cut {
  return end.reason === 'max_output_tokens' || end.reason === 'context_window'
}

/** The answer is none to what was asked: the model or its provider has refused it. */
export function isRefused(end: AnswerEnd): end is AnswerEnd & { readonly reason: keyof typeof REFUSED } {
  return end.reason in REFUSED
}

/** What is said above the report of a run that a cut answer has paused. */
export function cutNote({ reason, said }: AnswerEnd): string {
  return `${lowerFirst(reason === 'context_window' ? CUT.context_window : CUT.max_output_tokens)}${quoted(said)}`
}

/** What stands at an answer that is not whole, or that is a refusal; undefined: nothing is to be said of it. */
export function endMark(end: AnswerEnd): string | undefined {
  if (isCut(end)) return `${CUT[end.reason]}${quoted(end.said)}`
  return isRefused(end) ? `${REFUSED[end.reason]}${quoted(end.said)}` : undefined
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

/** Why an answer is the failure of its run; undefined: it is none. */
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

/** The end of a run that an error has failed; undefined: the error is not one that a run can have. */
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

/** Why the text of an answer cannot stand for something else, as a summary does; undefined: it ended by itself. */
export function unusableEnd(
  answer: Pick<Answer, 'end'>,
  ports: Pick<LoopPorts, 'model'>,
): string | undefined {
  const { end } = answer
  if (end.reason === 'stop') return undefined
  if (isCut(end)) return cutNote(end)
  return refusalOf(answer, ports)?.message ?? `the answer ended with ${end.reason}${quoted(end.said)}`
}

/** An answer without text, after a conclusion was asked for. */
export function emptyAnswer({ end }: Pick<Answer, 'end'>, { model }: Pick<LoopPorts, 'model'>): RunError {
  return {
    code: 'empty_answer',
    message: `${model.info.id}: the answer was empty, and so was the conclusion that was asked for${quoted(end.said)}`,
  }
}

function quoted(said: string | null): string {
  return said === null ? '' : ` (the provider said: ${said})`
}
