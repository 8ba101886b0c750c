import { errorMessage } from '../core/errors.ts'
import type { FinishReason } from '../core/finish-reason.ts'
import type { ModelPart } from './port.ts'

/** How an answer ended. */
export interface AnswerEnd {
  readonly reason: FinishReason
  /** The provider's own words, on one line; null: it gave none. */
  readonly said: string | null
}

type Finish = Extract<ModelPart, { readonly type: 'finish' }>

const MAX_SAID_CHARS = 500

/**
 * Reads the end of an answer. The packages of the providers put several reasons into one word: what the provider itself
 * said decides between them.
 */
export function answerEnd({ finishReason, providerMetadata }: Finish, text: string): AnswerEnd {
  const { unified, raw } = finishReason
  const word = typeof raw === 'string' ? raw : ''
  const reason = reasonOf(unified, word.toLowerCase())
  // servers of OpenAI's protocols send a refusal as a text of its own kind; the packages make it the text of the answer
  const words =
    reason === 'refusal' && /^(stop)?$/i.test(word) ? [text] : [word, ...explained(providerMetadata)]
  const said = [...new Set(words)].filter((each) => each.trim() !== '').join(': ')
  return { reason, said: said === '' ? null : errorMessage(said).slice(0, MAX_SAID_CHARS).toWellFormed() }
}

function reasonOf(unified: string, word: string): FinishReason {
  if (word === 'pause_turn') return 'tool_calls' // of Anthropic: another request is to follow
  switch (unified) {
    case 'stop':
      return 'stop'
    case 'tool-calls':
      return 'tool_calls'
    case 'length':
      return CONTEXT.test(word) ? 'context_window' : 'max_output_tokens'
    case 'content-filter':
      return word === '' || word === 'stop' || word === 'refusal' ? 'refusal' : 'content_filter'
    default:
      return byWord(word)
  }
}

/** `model_context_window_exceeded` of Anthropic, `model_length` of Mistral. */
const CONTEXT = /context|^model_length$/

/** Reasons that a package does not know, as servers with the protocol of another provider send them. */
const WORDS: readonly (readonly [words: RegExp, reason: FinishReason])[] = [
  [CONTEXT, 'context_window'],
  [/^length$|^max(imum)?_(\w+_)?(tokens|length)$|^token_limit/, 'max_output_tokens'],
  [/refus/, 'refusal'],
  [
    /filter|safety|block|prohibited|recitation|spii|toxic|sensitive|moderation|guardrail|policy/,
    'content_filter',
  ],
  [/^(stop|end_turn|stop_sequence|eos|eos_token|end|complete)$/, 'stop'],
  [/tool|function/, 'tool_calls'],
]

function byWord(word: string): FinishReason {
  return WORDS.find(([words]) => words.test(word))?.[1] ?? 'other'
}

/** What a provider says about its reason, beside the reason. */
function explained(metadata: Finish['providerMetadata']): string[] {
  return Object.values(metadata ?? {}).flatMap((about) => {
    const { stopDetails, finishMessage } = about
    const { category, explanation } = (stopDetails ?? {}) as { category?: unknown; explanation?: unknown }
    return [category, explanation, finishMessage].filter((text) => typeof text === 'string')
  })
}

/**
 * Whether the end says that the provider broke the answer off: what there is of it is no answer.
 * `insufficient_system_resource` is DeepSeek's, `network_error` that of Z.ai, `OTHER` and what follows are Gemini's.
 */
export function isBrokenOff({ unified, raw }: Finish['finishReason']): boolean {
  if (unified === 'error') return true
  return unified === 'other' && typeof raw === 'string' && BROKEN.test(raw)
}

const BROKEN =
  /^(error|abort(ed)?|cancel(l?ed)?|interrupted|insufficient_system_resource|network_error|OTHER|LANGUAGE|MALFORMED_\w+|UNEXPECTED_TOOL_CALL|TOO_MANY_TOOL_CALLS|MISSING_THOUGHT_SIGNATURE)$/
