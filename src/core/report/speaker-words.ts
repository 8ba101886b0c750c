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

/** What is known around a message, to name its speaker. */
export interface SpeakerFacts {
  /** The agent that works on its branch. */
  readonly agent: string
  /** Whether it is the first message of a subagent. */
  readonly isTask?: boolean
}

type Spoken = Pick<Message, 'role' | 'parts' | 'runId'>

/** Who says a message, the same on every surface: `User`, `main (agent)`, `Task from User`, `Runtime`. */
export function speakerWords(message: Spoken, { agent, isTask = false }: SpeakerFacts): string {
  if (message.role === 'assistant') return authorWords({ agent })
  if (message.role === 'tool') return 'Results'
  const author = authorOfMessage(message)
  if (author !== undefined) return writerWords(author, isTask)
  return message.parts.some(({ type }) => type === 'report') ? 'Reports of subagents' : 'Runtime'
}

/** Who wrote one text of a message. A summary is named as one. */
export function textSpeakerWords(message: Spoken, part: TextPart, facts: SpeakerFacts): string {
  if (message.role === 'assistant') return authorWords({ agent: facts.agent })
  if (part.summaryOf) return `Runtime, ${SUMMARY_WORDS}`
  return writerWords(authorOf(part, message), facts.isTask ?? false)
}

function writerWords(author: Author | null, isTask: boolean): string {
  if (!isTask) return authorWords(author)
  return author === null ? 'Task' : `Task from ${authorWords(author)}`
}

/** How a message that is not whole came to be so; null: it is whole. Nobody goes on with what a process left behind. */
export function messageStateWords(state: MessageState | undefined, isDriven: boolean): string | null {
  if (state === undefined || state === 'complete') return null
  return state === 'streaming' && !isDriven ? 'its process exited' : state
}

/** The first message that people see of a branch: of a subagent it is the task. */
export function taskMessage<M extends Pick<Message, 'role'>>(messages: readonly M[]): M | undefined {
  return messages.find(({ role }) => role !== 'system')
}
