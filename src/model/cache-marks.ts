import type { LanguageModelV4, LanguageModelV4Prompt, SharedV4ProviderOptions } from '@ai-sdk/provider'
import type { Json } from '../core/json.ts'
import type { PromptCache } from '../core/model-settings.ts'
import type { Price } from './port.ts'

interface CacheControl {
  readonly type: 'ephemeral'
  readonly ttl?: '1h'
}

export function cacheControl(keep: PromptCache | undefined): CacheControl {
  return keep === '1h' ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' }
}

/** Claude caches only marked content, whatever service it runs on: Anthropic, Vertex, Bedrock, OpenRouter. */
export function isClaude({ provider, modelId }: Pick<LanguageModelV4, 'provider' | 'modelId'>): boolean {
  return /(^|\.)anthropic(\.|$)/.test(provider) || /claude/i.test(modelId)
}

/** Anthropic charges twice the input price for writes to the one-hour cache. */
export function hourPrice<P extends Price | null>(price: P): P {
  if (!price) return price
  const dearer = <T extends { readonly input: number; readonly cacheWrite: number }>(rates: T): T => ({
    ...rates,
    cacheWrite: Math.max(rates.cacheWrite, 2 * rates.input),
  })
  return { ...dearer(price), ...(price.long ? { long: dearer(price.long) } : {}) }
}

/**
 * Anthropic caches everything before a breakpoint (at most four): the tools and the system text, and the conversation
 * up to the last message; the one before that finds the previous request's entry.
 */
function markedPlaces(roles: readonly string[]): number[] {
  const input = roles.flatMap((role, at) => (role === 'user' || role === 'tool' ? [at] : []))
  return [roles.lastIndexOf('system'), ...input.slice(-2)].filter((at) => at >= 0)
}

/** In the form of Anthropic's own package, of those for Vertex and OpenRouter, and of Bedrock's. */
export function withCacheMarks(
  prompt: LanguageModelV4Prompt,
  keep: PromptCache | undefined,
): LanguageModelV4Prompt {
  const control = cacheControl(keep)
  const mark: SharedV4ProviderOptions = {
    anthropic: { cacheControl: { ...control } },
    bedrock: { cachePoint: { type: 'default', ...(control.ttl ? { ttl: control.ttl } : {}) } },
  }
  const marked = [...prompt]
  for (const at of markedPlaces(prompt.map(({ role }) => role)))
    marked[at] = { ...marked[at]!, providerOptions: mark }
  return marked
}

export interface ChatMessage {
  readonly role: string
  readonly content?: Json | undefined
}

/** The same for a Chat Completions server, where a part of a message carries the mark. */
export function withChatMarks<T extends ChatMessage>(messages: readonly T[], control: Json): T[] {
  const marked = [...messages]
  for (const at of markedPlaces(messages.map(({ role }) => role))) {
    const { content } = messages[at]!
    const parts =
      typeof content === 'string' && /\S/.test(content) ? [{ type: 'text', text: content }] : content
    if (!Array.isArray(parts) || parts.length === 0) continue
    const last = { ...(parts.at(-1) as object), cache_control: control }
    marked[at] = { ...messages[at]!, content: [...parts.slice(0, -1), last] }
  }
  return marked
}
