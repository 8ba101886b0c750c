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
  /** The model's longest answer; null: unknown. */
  readonly longest: number | null
  readonly prompt: LanguageModelV4Prompt
  readonly tools: LanguageModelV4FunctionTool[]
  /** Settings of the request, without those that the model does not accept. */
  readonly wishes: Omit<Wishes, 'files'>
}

/** A request for the provider interface. */
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
 * OpenAI: nothing is stored on its servers, so a transcript is self-contained; reasoning is then sent encrypted in the
 * metadata of its parts. Requests with the same key are routed to the cache of their common prefix.
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

/** The program's options override a person's settings. */
function merged(
  first: ProviderOptions | SharedV4ProviderOptions,
  second: ProviderOptions | SharedV4ProviderOptions,
): SharedV4ProviderOptions {
  const names = Object.keys({ ...first, ...second })
  return Object.fromEntries(names.map((name) => [name, { ...first[name], ...second[name] }]))
}
