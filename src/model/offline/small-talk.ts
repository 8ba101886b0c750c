import type { Intent } from './intent.ts'

const WHAT =
  'I am offline: a rule-based search, not a language model. I search the files of this workspace and answer with the lines that match, each with its path and line number.'

/** The answer to a message that asks nothing about the workspace; null for any other message. */
export function smallTalk(intent: Intent): string | null {
  switch (intent) {
    case 'greeting':
      return `Hello. ${WHAT} Ask, for example, where something is decided, how it works, or which tests cover it.`
    case 'thanks':
      return 'You are welcome. Ask again if there is more to find.'
    case 'about':
      return `${WHAT} To have something explained, written or changed, choose a language model with the option -m.`
    case 'empty':
      return `There is no question in that. ${WHAT} Ask, for example, where something is decided, or which tests cover it.`
    default:
      return null
  }
}
