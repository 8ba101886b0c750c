import {
  InvalidResponseDataError,
  type LanguageModelV4FinishReason,
  type LanguageModelV4StreamPart,
  type LanguageModelV4Usage,
} from '@ai-sdk/provider'
import { createNullLanguageModelUsage, generateId, StreamingToolCallTracker } from '@ai-sdk/provider-utils'
import type { CallDelta, ChatChunk, ChatDelta, ChatUsage, ContentPart } from './chat-chunk.ts'

type Emit = (part: LanguageModelV4StreamPart) => void
type Kind = 'text' | 'reasoning'

/** Converts the chunks of a chat completion to the parts that the providers' package would produce. */
export class ChatAnswer {
  readonly #emit: Emit
  readonly #calls: StreamingToolCallTracker<CallDelta>
  /** Calls whose name has not arrived yet, by index. */
  readonly #nameless = new Map<number, CallDelta>()
  readonly #named = new Set<number>()
  #open: Kind | undefined
  #reason: string | undefined
  #hasRefusal = false
  #usage: ChatUsage | undefined

  /** `provider`: its name in the metadata of parts. */
  constructor(provider: string, emit: Emit) {
    this.#emit = emit
    this.#calls = new StreamingToolCallTracker({ enqueue: emit }, metadataOf(provider))
  }

  /** @throws InvalidResponseDataError for a call without a name. */
  push({ choices, usage }: ChatChunk): void {
    if (usage) this.#usage = usage
    const { delta, finish_reason: reason } = choices[0] ?? {}
    if (reason !== null && reason !== undefined) this.#reason = reason
    if (delta) this.#takeDelta(delta)
  }

  #takeDelta(delta: ChatDelta): void {
    const { content, refusal, tool_calls: calls } = delta
    const reasoning = delta.reasoning_content ?? delta.reasoning
    if (reasoning) this.#grow('reasoning', reasoning)
    if (typeof content === 'string') this.#grow('text', content)
    else if (content) this.#takeContent(content)
    if (refusal) {
      this.#hasRefusal = true
      this.#grow('text', refusal)
    }
    if (!calls || calls.length === 0) return
    if (this.#open === 'reasoning') this.#close()
    for (const call of calls) this.#takeCall(call)
  }

  #takeContent(content: readonly ContentPart[]): void {
    for (const { type, text, thinking } of content) {
      if (type === 'text' && typeof text === 'string') this.#grow('text', text)
      if (type === 'thinking' && Array.isArray(thinking))
        this.#grow('reasoning', thinking.map(textOf).join(''))
    }
  }

  #grow(kind: Kind, delta: string): void {
    if (delta === '') return
    const id = IDS[kind]
    if (this.#open !== kind) {
      this.#close()
      this.#open = kind
      this.#emit({ type: `${kind}-start`, id })
    }
    this.#emit({ type: `${kind}-delta`, id, delta })
  }

  #close(): void {
    if (this.#open) this.#emit({ type: `${this.#open}-end`, id: IDS[this.#open] })
    this.#open = undefined
  }

  /** Some servers send a call's name after its first arguments; the tracker of calls needs the name first. */
  #takeCall(call: CallDelta): void {
    const { index } = call
    if (index === null || index === undefined || this.#named.has(index)) return this.#calls.processDelta(call)
    const before = this.#nameless.get(index)
    const known = before ? joined(before, call) : call
    const { name } = known.function
    if (name === null || name === undefined) return void this.#nameless.set(index, known)
    this.#nameless.delete(index)
    this.#named.add(index)
    this.#calls.processDelta(known)
  }

  /** Called after the last chunk. @throws InvalidResponseDataError for a call without a name. */
  end(): void {
    this.#close()
    for (const call of this.#nameless.values()) this.#calls.processDelta(call)
    this.#calls.flush()
    const reason = this.#reason
    if (reason === undefined) {
      const message = 'Response stream ended without a finish reason.'
      const error = new InvalidResponseDataError({ data: undefined, message })
      this.#emit({ type: 'error', error })
    }
    const unified = reason === undefined ? 'error' : unifiedReason(reason, this.#hasRefusal)
    this.#emit({ type: 'finish', finishReason: { unified, raw: reason }, usage: toUsage(this.#usage) })
  }
}

const IDS: Readonly<Record<Kind, string>> = { text: 'txt-0', reasoning: 'reasoning-0' }

function textOf(part: unknown): string {
  const { type, text } = (part ?? {}) as { readonly type?: unknown; readonly text?: unknown }
  return type === 'text' && typeof text === 'string' ? text : ''
}

/** Gemini signs its thoughts and needs the signature back with the call. */
function metadataOf(provider: string) {
  return {
    generateId,
    extractMetadata({ extra_content: extra }: CallDelta) {
      const thoughtSignature = extra?.google?.thought_signature
      return thoughtSignature ? { [provider]: { thoughtSignature } } : undefined
    },
    buildToolCallProviderMetadata: <T>(metadata: T) => metadata,
  }
}

function joined(first: CallDelta, next: CallDelta): CallDelta {
  const { function: before, ...rest } = first
  const { function: after } = next
  return {
    ...rest,
    id: first.id ?? next.id ?? null,
    function: { name: after.name ?? null, arguments: (before.arguments ?? '') + (after.arguments ?? '') },
    extra_content: first.extra_content ?? next.extra_content ?? null,
  }
}

/** platform.openai.com/docs/api-reference/chat-streaming */
function unifiedReason(reason: string, hasRefusal: boolean): LanguageModelV4FinishReason['unified'] {
  switch (reason) {
    case 'stop':
      return hasRefusal ? 'content-filter' : 'stop'
    case 'length':
      return 'length'
    case 'content_filter':
      return 'content-filter'
    case 'function_call':
    case 'tool_calls':
      return 'tool-calls'
    default:
      return 'other'
  }
}

function toUsage(usage: ChatUsage | undefined): LanguageModelV4Usage {
  if (!usage) return createNullLanguageModelUsage()
  const input = usage.prompt_tokens ?? 0
  const output = usage.completion_tokens ?? 0
  const cacheRead = usage.prompt_tokens_details?.cached_tokens ?? 0
  const reasoning = usage.completion_tokens_details?.reasoning_tokens ?? 0
  return {
    inputTokens: { total: input, noCache: input - cacheRead, cacheRead, cacheWrite: undefined },
    outputTokens: { total: output, text: Math.max(0, output - reasoning), reasoning },
  }
}
