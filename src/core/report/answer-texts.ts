import type { MessageId } from '../ids.ts'
import type { StoredRun } from '../run.ts'
import type { EndReason } from '../run-status.ts'
import { authorOf, textOf, type Message, type Said } from '../message.ts'

const WHERE_CUT = 'Go on exactly where it stopped; repeat nothing of it.'
const AT_LIMIT = `Your last answer was cut at the output limit. ${WHERE_CUT}`
const BEFORE_END = `Your last answer was cut before its end. ${WHERE_CUT}`

/** The ends of a run after which its last answer may have been cut: an answer, or what left no room for more of it. */
const CUTTING: readonly (EndReason | null)[] = [
  'max_output_tokens',
  'context_window',
  'max_turns',
  'max_tokens',
  'budget',
]

/** What a run is told that goes on after its last answer was cut, when nobody says anything else; undefined: it was not. */
export function toldWhereCut({
  endReason,
  finishReason,
}: Pick<StoredRun, 'endReason' | 'finishReason'>): Said | undefined {
  if (!CUTTING.includes(endReason)) return undefined
  if (finishReason === 'max_output_tokens') return { text: AT_LIMIT, author: 'runtime' }
  return finishReason === 'context_window' ? { text: BEFORE_END, author: 'runtime' } : undefined
}

/** The text of an answer. `goesOn`: it begins where the text before was cut. */
export interface AnswerText {
  readonly messageId: MessageId
  readonly text: string
  readonly goesOn?: boolean
}

export interface AnswerTexts {
  /** Of every answer, also where it has none. */
  readonly texts: readonly AnswerText[]
  /** The answer to come goes on where the last one was cut. */
  readonly goesOn: boolean
}

/** The answers among the messages of a branch. What was cut is known by what the runtime said after it. */
export function answerTexts(
  messages: readonly Message[],
  isAnswer: (message: Message) => boolean,
): AnswerTexts {
  const texts: AnswerText[] = []
  let goesOn = false
  for (const message of messages) {
    if (message.role === 'user')
      goesOn = texts.length > 0 && (tellsToGoOn(message) || (goesOn && !isSaid(message)))
    if (!isAnswer(message)) continue
    const { id: messageId, parts } = message
    texts.push({ messageId, text: textOf(parts), ...(goesOn ? { goesOn } : {}) })
    goesOn = false
  }
  return { texts, goesOn }
}

function tellsToGoOn(message: Message): boolean {
  return message.parts.some(
    (part) =>
      part.type === 'text' &&
      (part.text === AT_LIMIT || part.text === BEFORE_END) &&
      authorOf(part, message) === 'runtime',
  )
}

/** A person or an agent said it: what is answered then does not go on with what was cut. */
function isSaid(message: Message): boolean {
  return message.parts.some((part) => part.type === 'text' && authorOf(part, message) !== 'runtime')
}

const BETWEEN_TURNS = '\n\n'

/** One text, without a gap where one answer goes on with another. */
export function joinedText(texts: readonly Pick<AnswerText, 'text' | 'goesOn'>[]): string {
  return texts.reduce(
    (all, { text, goesOn }, i) => (i === 0 || goesOn ? all + text : all + BETWEEN_TURNS + text),
    '',
  )
}
