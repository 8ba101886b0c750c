import { APICallError, type LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { ModelRequest } from './port.ts'

/** Optional features of a request. */
export interface Wishes extends Pick<LanguageModelV4CallOptions, 'reasoning' | 'temperature' | 'topP'> {
  /** Whether the model receives files of the context; otherwise they are described. */
  readonly files: boolean
  /** Whether to send prompt cache marks to a provider that needs them. */
  readonly cache: boolean
  /** Whether to send the answer's schema. */
  readonly format: boolean
}

interface Wishing {
  readonly request: ModelRequest
  /** Whether cached content must be marked. */
  readonly isMarked: boolean
  /** Whether the provider can be told of the schema of the answer. */
  readonly hasFormat: boolean
}

/** One feature, and how servers word its refusal. */
interface Wish {
  /** Key under which the refusal is remembered: an effort by its value, a temperature in general. */
  readonly name: string
  readonly words: RegExp
  readonly statuses: readonly number[]
  /** The error concerns only this request: the next one uses the feature again. */
  readonly once?: RegExp
}

const INVALID = [400, 422]
const CACHE: Wish = { name: 'cache', words: /cache/i, statuses: INVALID }
const TOP_P: Wish = { name: 'topP', words: /\btop_?p\b/i, statuses: INVALID }
const TEMPERATURE: Wish = { name: 'temperature', words: /temperature/i, statuses: INVALID }
/** OpenRouter sends 404, llama.cpp and Ollama 500; Mistral accepts no user message after results. */
const FILES: Wish = {
  name: 'files',
  words: /image|vision|multi-?modal|modalit|unexpected role|roles? must/i,
  statuses: [...INVALID, 404, 415, 500],
  once: /exceed|too (large|big|many)|larger|dimension|could not process|corrupt|decod/i,
}

/** Retries without a feature that the server refused, and remembers it for this model in `refused`. */
export async function startWithWishes<T>(
  { request, isMarked, hasFormat }: Wishing,
  refused: Set<string>,
  start: (wishes: Wishes) => Promise<T>,
): Promise<T> {
  const without = new Set(refused)
  for (;;) {
    const wishes = inUse({ request, isMarked, hasFormat }, without)
    try {
      return await start(toWishes(request, wishes))
    } catch (error) {
      const wish = wishes.find((each) => isRefused(each, error))
      if (!wish) throw error
      without.add(wish.name)
      if (!wish.once?.test(saidBy(error))) refused.add(wish.name)
    }
  }
}

function inUse({ request, isMarked, hasFormat }: Wishing, without: ReadonlySet<string>): Wish[] {
  const { effort, temperature, topP, messages, cacheKey, answerSchema } = request
  const wishes = [
    ...(temperature === undefined ? [] : [TEMPERATURE]),
    ...(topP === undefined ? [] : [TOP_P]),
    ...(effort ? [{ name: effort, words: /reason|think|effort/i, statuses: INVALID }] : []),
    ...(hasFiles(messages) ? [FILES] : []),
    ...(isMarked || cacheKey !== undefined ? [CACHE] : []),
    ...(answerSchema && hasFormat ? [formatWish(answerSchema)] : []),
  ]
  return wishes.filter(({ name }) => !without.has(name))
}

function toWishes(
  { effort, temperature, topP, answerSchema }: ModelRequest,
  wishes: readonly Wish[],
): Wishes {
  const names = new Set(wishes.map(({ name }) => name))
  return {
    files: names.has('files'),
    cache: names.has('cache'),
    format: answerSchema !== undefined && names.has(formatWish(answerSchema).name),
    ...(effort && names.has(effort) ? { reasoning: effort } : {}),
    ...(temperature !== undefined && names.has('temperature') ? { temperature } : {}),
    ...(topP !== undefined && names.has('topP') ? { topP } : {}),
  }
}

/** A server may refuse one schema and accept another. */
function formatWish(schema: object): Wish {
  const words = /schema|format|structured|json/i
  return { name: `format ${JSON.stringify(schema)}`, words, statuses: INVALID }
}

function hasFiles(messages: ModelRequest['messages']): boolean {
  return messages.some(({ parts }) =>
    parts.some((part) => part.type === 'file' || (part.type === 'tool-result' && part.output.files)),
  )
}

/** Not every model accepts these options in every conversation: the server's message says so. */
function isRefused({ words, statuses }: Wish, error: unknown): boolean {
  return (
    APICallError.isInstance(error) && statuses.includes(error.statusCode ?? 0) && words.test(saidBy(error))
  )
}

function saidBy(error: unknown): string {
  return APICallError.isInstance(error) ? `${error.message} ${error.responseBody ?? ''}` : ''
}
