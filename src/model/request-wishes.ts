import { APICallError, type LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { ModelRequest } from './port.ts'

/** What a request asks for and can do without. */
export interface Wishes extends Pick<LanguageModelV4CallOptions, 'reasoning' | 'temperature' | 'topP'> {
  /** Whether the model is shown the files of the context; else they are described. */
  readonly files: boolean
  /** Whether the provider is told what to keep in its prompt cache, where it has to be. */
  readonly cache: boolean
  /** Whether the provider is told of the schema of the answer. */
  readonly format: boolean
}

interface Wishing {
  readonly request: ModelRequest
  /** Whether what is to be cached has to be marked. */
  readonly isMarked: boolean
  /** Whether the provider can be told of the schema of the answer. */
  readonly hasFormat: boolean
}

/** One of them, with the words by which servers refuse it. */
interface Wish {
  /** By which it is remembered: an effort is refused by its value, a temperature as such. */
  readonly name: string
  readonly words: RegExp
  readonly statuses: readonly number[]
  /** An error about this request alone: the next one asks for it again. */
  readonly once?: RegExp
}

const INVALID = [400, 422]
const CACHE: Wish = { name: 'cache', words: /cache/i, statuses: INVALID }
const TOP_P: Wish = { name: 'topP', words: /\btop_?p\b/i, statuses: INVALID }
const TEMPERATURE: Wish = { name: 'temperature', words: /temperature/i, statuses: INVALID }
/** OpenRouter says 404, llama.cpp and Ollama 500; Mistral takes no user message behind results. */
const FILES: Wish = {
  name: 'files',
  words: /image|vision|multi-?modal|modalit|unexpected role|roles? must/i,
  statuses: [...INVALID, 404, 415, 500],
  once: /exceed|too (large|big|many)|larger|dimension|could not process|corrupt|decod/i,
}

/** Asks again without a wish that the server refuses, and remembers in `refused` what this model does not take. */
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

/** One schema may be refused, and another one taken. */
function formatWish(schema: object): Wish {
  const words = /schema|format|structured|json/i
  return { name: `format ${JSON.stringify(schema)}`, words, statuses: INVALID }
}

function hasFiles(messages: ModelRequest['messages']): boolean {
  return messages.some(({ parts }) =>
    parts.some((part) => part.type === 'file' || (part.type === 'tool-result' && part.output.files)),
  )
}

/** Not every model takes these options, and not in every conversation: the server says so in its own words. */
function isRefused({ words, statuses }: Wish, error: unknown): boolean {
  return (
    APICallError.isInstance(error) && statuses.includes(error.statusCode ?? 0) && words.test(saidBy(error))
  )
}

function saidBy(error: unknown): string {
  return APICallError.isInstance(error) ? `${error.message} ${error.responseBody ?? ''}` : ''
}
