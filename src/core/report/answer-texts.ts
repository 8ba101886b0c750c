import type { MessageId } from '../ids.ts'
import { authorOf, textOf, type Message, type Said } from '../message.ts'

/** What a run is told that goes on after its last answer was cut at the output limit, when nobody says anything else. */
export const TOLD_TO_GO_ON_WHERE_CUT = {
  text: 'Your last answer was cut at the output limit. Go on exactly where it stopped; repeat nothing of it.',
  author: 'runtime',
} as const satisfies Said

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
    if (message.role === 'user') goesOn ||= texts.length > 0 && tellsToGoOn(message)
    if (!isAnswer(message)) continue
    const { id: messageId, parts } = message
    texts.push({ messageId, text: textOf(parts), ...(goesOn ? { goesOn } : {}) })
    goesOn = false
  }
  return { texts, goesOn }
}

function tellsToGoOn(message: Message): boolean {
  const { text, author } = TOLD_TO_GO_ON_WHERE_CUT
  return message.parts.some(
    (part) => part.type === 'text' && part.text === text && authorOf(part, message) === author,
  )
}

const BETWEEN_TURNS = '\n\n'

/** One text, without a gap where one answer goes on with another. */
export function joinedText(texts: readonly Pick<AnswerText, 'text' | 'goesOn'>[]): string {
  return texts.reduce(
    (all, { text, goesOn }, i) => (i === 0 || goesOn ? all + text : all + BETWEEN_TURNS + text),
    '',
  )
}
