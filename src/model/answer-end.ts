import { errorMessage } from '../core/errors.ts'
import type { FinishReason } from '../core/finish-reason.ts'
import type { ModelPart } from './port.ts'

/** How an answer ended. */
export interface AnswerEnd {
  readonly reason: FinishReason
  /** The provider's own reason, on one line; null: none. */
  readonly said: string | null
}

type Finish = Extract<ModelPart, { readonly type: 'finish' }>

const MAX_SAID_CHARS = 500

/**
 * The end of an answer. The providers' packages map several reasons to one: the provider's own reason distinguishes
 * them.
 */
export function answerEnd({ finishReason, providerMetadata }: Finish, text: string): AnswerEnd {
  const { unified, raw } = finishReason
  const word = typeof raw === 'string' ? raw : ''
  const reason = reasonOf(unified, word.toLowerCase())
  // OpenAI-compatible servers send a refusal in its own field, which the packages turn into the answer's text
  const words =
    reason === 'refusal' && /^(stop)?$/i.test(word) ? [text] : [word, ...explained(providerMetadata)]
  const said = [...new Set(words)].filter((each) => each.trim() !== '').join(': ')
  return { reason, said: said === '' ? null : errorMessage(said).slice(0, MAX_SAID_CHARS).toWellFormed() }
}

function reasonOf(unified: string, word: string): FinishReason {
  if (word === 'pause_turn') return 'tool_calls' // Anthropic: another request must follow
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

/** Reasons unknown to a package, sent by servers that use another provider's protocol. */
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

/** The provider's explanation of its reason. */
function explained(metadata: Finish['providerMetadata']): string[] {
  return Object.values(metadata ?? {}).flatMap((about) => {
    const { stopDetails, finishMessage } = about
    const { category, explanation } = (stopDetails ?? {}) as { category?: unknown; explanation?: unknown }
    return [category, explanation, finishMessage].filter((text) => typeof text === 'string')
  })
}

/**
 * Whether the provider aborted the answer, so that its text is unusable. `insufficient_system_resource` is DeepSeek's,
 * `network_error` is Z.ai's, `OTHER` and the rest are Gemini's.
 */
export function isBrokenOff({ unified, raw }: Finish['finishReason']): boolean {
  if (unified === 'error') return true
  return unified === 'other' && typeof raw === 'string' && BROKEN.test(raw)
}

const BROKEN =
  /^(error|abort(ed)?|cancel(l?ed)?|interrupted|insufficient_system_resource|network_error|OTHER|LANGUAGE|MALFORMED_\w+|UNEXPECTED_TOOL_CALL|TOO_MANY_TOOL_CALLS|MISSING_THOUGHT_SIGNATURE)$/
