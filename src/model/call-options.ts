import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Prompt,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import type { ProviderOptions } from '../core/provider-options.ts'
import { answerFormat } from './answer-format.ts'
import { cacheControl, isClaude, withCacheMarks } from './cache-marks.ts'
import type { ModelRequest } from './port.ts'
import type { Wishes } from './request-wishes.ts'
import { thinkingInside } from './thinking-inside.ts'

interface Asked {
  readonly request: ModelRequest
  /** The longest answer of the model; null where it is not known. */
  readonly longest: number | null
  readonly prompt: LanguageModelV4Prompt
  readonly tools: LanguageModelV4FunctionTool[]
  /** Of the request, without what the model does not take. */
  readonly wishes: Omit<Wishes, 'files'>
}

/** A request in the words of the provider interface. */
export function callOptions(
  model: LanguageModelV4,
  { request, longest, prompt, tools, wishes: { cache, format, ...wishes } }: Asked,
): LanguageModelV4CallOptions {
  const { toolChoice, agent, depth, signal, promptCache, stopSequences } = request
  const { maxOutputTokens, providerOptions } = thinkingInside(model, request, {
    longest,
    effort: wishes.reasoning,
  })
  const answer = format ? answerFormat(model, request) : undefined
  const isMarked = cache && isClaude(model)
  const chat = isMarked ? { cacheControl: { ...cacheControl(promptCache) } } : {}
  return {
    prompt: isMarked ? withCacheMarks(prompt, promptCache) : prompt,
    ...(tools.length > 0 ? { tools, toolChoice: { type: toolChoice } } : {}),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(answer && { responseFormat: answer.responseFormat }),
    ...(stopSequences ? { stopSequences: [...stopSequences] } : {}),
    abortSignal: signal,
    providerOptions: {
      offshoot: { agent, depth, ...chat },
      ...merged(merged(providerOptions, answer?.providerOptions ?? {}), familyOptions(model, request, cache)),
    },
    ...wishes,
  }
}

/**
 * OpenAI: nothing is kept on its servers, so that a transcript is self-contained; reasoning then travels encrypted in
 * the metadata of its parts. Requests with one key go where their common beginning is cached.
 */
function familyOptions(
  { provider }: LanguageModelV4,
  { cacheKey }: ModelRequest,
  cache: boolean,
): SharedV4ProviderOptions {
  const family = provider.split('.')[0]!
  const key = cache && cacheKey !== undefined ? { promptCacheKey: cacheKey } : {}
  if (family === 'openai') return { openai: { store: false, ...key } }
  return /^azure\b/.test(family) ? { openai: key } : {}
}

/** What the program says of a request stands before what a person has set. */
function merged(
  first: ProviderOptions | SharedV4ProviderOptions,
  second: ProviderOptions | SharedV4ProviderOptions,
): SharedV4ProviderOptions {
  const names = Object.keys({ ...first, ...second })
  return Object.fromEntries(names.map((name) => [name, { ...first[name], ...second[name] }]))
}
