import {
  authorOf,
  authorOfMessage,
  authorWords,
  SUMMARY_WORDS,
  type Author,
  type Message,
  type MessageState,
  type TextPart,
} from '../message.ts'

/** Context needed to name the speaker of a message. */
export interface SpeakerFacts {
  /** The agent of its branch. */
  readonly agent: string
  /** Whether it is the first message of a subagent. */
  readonly isTask?: boolean
}

type Spoken = Pick<Message, 'role' | 'parts' | 'runId'>

/** The speaker of a message, the same on every surface: `User`, `main (agent)`, `Task from User`, `Runtime`. */
export function speakerWords(message: Spoken, { agent, isTask = false }: SpeakerFacts): string {
  if (message.role === 'assistant') return authorWords({ agent })
  if (message.role === 'tool') return 'Results'
  const author = authorOfMessage(message)
  if (author !== undefined) return writerWords(author, isTask)
  return message.parts.some(({ type }) => type === 'report') ? 'Reports of subagents' : 'Runtime'
}

/** The author of one text of a message; summaries have their own name. */
export function textSpeakerWords(message: Spoken, part: TextPart, facts: SpeakerFacts): string {
  if (message.role === 'assistant') return authorWords({ agent: facts.agent })
  if (part.summaryOf) return `Runtime, ${SUMMARY_WORDS}`
  return writerWords(authorOf(part, message), facts.isTask ?? false)
}

function writerWords(author: Author | null, isTask: boolean): string {
  if (!isTask) return authorWords(author)
  return author === null ? 'Task' : `Task from ${authorWords(author)}`
}

/** Why a message is incomplete; null: it is complete. Messages of exited processes stay incomplete. */
export function messageStateWords(state: MessageState | undefined, isDriven: boolean): string | null {
  if (state === undefined || state === 'complete') return null
  return state === 'streaming' && !isDriven ? 'its process exited' : state
}

/** The first visible message of a branch; for a subagent, the task. */
export function taskMessage<M extends Pick<Message, 'role'>>(messages: readonly M[]): M | undefined {
  return messages.find(({ role }) => role !== 'system')
}
