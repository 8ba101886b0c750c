import type { MessageId } from '../ids.ts'
import type { StoredRun } from '../run.ts'
import type { FinishReason } from '../finish-reason.ts'
import { authorOf, callsOf, textOf, type Message, type Said } from '../message.ts'

const WHERE_CUT = 'Go on exactly where it stopped; repeat nothing of it.'
/** Instruction for a run whose last answer was cut at the output limit. */
export const AT_LIMIT = `Your last answer was cut at the output limit. ${WHERE_CUT}`
const BEFORE_END = `Your last answer was cut before its end. ${WHERE_CUT}`

const TOLD: Readonly<Partial<Record<FinishReason, string>>> = {
  max_output_tokens: AT_LIMIT,
  context_window: BEFORE_END,
}

/**
 * Instruction for a run that resumes after a cut answer when nobody adds a message; undefined: the answer was not cut,
 * or a message followed. `run`: the last one of the branch.
 */
export function toldWhereCut(
  run: Pick<StoredRun, 'id' | 'finishReason'>,
  messages: readonly Message[],
): Said | undefined {
  const { unanswered } = answerTexts(messages, isCompleteAnswer)
  const last = messages.findLast(
    (message) => message.role !== 'assistant' || (message.state === 'complete' && !isWordless(message)),
  )
  const isOpen = last?.role === 'assistant' && last.runId === run.id && callsOf(last.parts).length === 0
  const text = unanswered ?? (isOpen && run.finishReason ? TOLD[run.finishReason] : undefined)
  return text === undefined ? undefined : { text, author: 'runtime' }
}

/** An answer without text or calls cannot be continued. */
function isWordless({ parts }: Pick<Message, 'parts'>): boolean {
  return textOf(parts).trim() === '' && callsOf(parts).length === 0
}

/** Prefix of the notice in a cut answer. */
export const CUT = {
  max_output_tokens: 'The answer was cut at the output limit',
  context_window: 'The answer was cut because the context window is full',
} as const satisfies Partial<Record<FinishReason, string>>

/** Instruction for a branch that starts after a cut answer; undefined: it was not cut. */
export function toldBehind({ role, parts }: Pick<Message, 'role' | 'parts'>): Said | undefined {
  if (role !== 'assistant' || callsOf(parts).length > 0 || textOf(parts).trim() === '') return undefined
  const notices = parts.flatMap((part) => (part.type === 'notice' ? [part.text] : []))
  const isCut = (why: keyof typeof CUT) => notices.some((text) => text.startsWith(CUT[why]))
  const why = (Object.keys(CUT) as (keyof typeof CUT)[]).find(isCut)
  const text = why && TOLD[why]
  return text === undefined ? undefined : { text, author: 'runtime' }
}

export function isCompleteAnswer({ role, state }: Pick<Message, 'role' | 'state'>): boolean {
  return role === 'assistant' && state === 'complete'
}

/** Prefix of the notice in an answer that is not a real answer. */
export const REFUSED = {
  refusal: 'The model refused to answer',
  content_filter: 'The provider filtered the answer',
} as const satisfies Partial<Record<FinishReason, string>>

/** Refusals and filtered answers cannot be continued. */
function isRefused({ parts }: Pick<Message, 'parts'>): boolean {
  const words = Object.values(REFUSED)
  return parts.some((part) => part.type === 'notice' && words.some((word) => part.text.startsWith(word)))
}

/**
 * The text of an answer. `goesOn`: it continues the cut text before it; for the first, the text where its branch
 * starts.
 */
export interface AnswerText {
  readonly messageId: MessageId
  readonly text: string
  readonly goesOn?: boolean
}

export interface AnswerTexts {
  /** For every answer with text or calls. */
  readonly texts: readonly AnswerText[]
  /** The runtime's instruction to continue a cut answer. */
  readonly unanswered: string | undefined
}

/** The answers among the messages of a branch. The runtime's instruction marks a cut answer. */
export function answerTexts(
  messages: readonly Message[],
  isAnswer: (message: Message) => boolean,
): AnswerTexts {
  const texts: AnswerText[] = []
  let unanswered: string | undefined
  for (const message of messages) {
    if (message.role === 'user')
      unanswered = toldToGoOn(message) ?? (isSaid(message) ? undefined : unanswered)
    if (!isAnswer(message) || isWordless(message)) continue
    const { id: messageId, parts } = message
    const goesOn = unanswered !== undefined && !isRefused(message)
    texts.push({ messageId, text: textOf(parts), ...(goesOn ? { goesOn } : {}) })
    unanswered = undefined
  }
  return { texts, unanswered }
}

function toldToGoOn(message: Message): string | undefined {
  const told = message.parts.find(
    (part) =>
      part.type === 'text' &&
      (part.text === AT_LIMIT || part.text === BEFORE_END) &&
      authorOf(part, message) === 'runtime',
  )
  return told && textOf([told])
}

/** A new request, whoever sent it: the answer does not continue a cut one. Summaries request nothing. */
function isSaid({ parts }: Message): boolean {
  return parts.some((part) => part.type === 'text' && part.summaryOf === undefined)
}

const BETWEEN_TURNS = '\n\n'

/** Joins texts, without a gap between an answer and its continuation. */
export function joinedText(texts: readonly Pick<AnswerText, 'text' | 'goesOn'>[]): string {
  return texts.reduce(
    (all, { text, goesOn }, i) => (i === 0 || goesOn ? all + text : all + BETWEEN_TURNS + text),
    '',
  )
}
