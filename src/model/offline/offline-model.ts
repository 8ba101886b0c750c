import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'
import type { Clock } from '../../core/clock.ts'
import { streamThought } from './stream.ts'
import { think } from './think.ts'
import { readTranscript } from './prompt-transcript.ts'

export interface OfflineModelOptions {
  /** Needed only for delays. */
  readonly clock?: Clock
  /** Delay before each piece of the stream; 0: none. Milliseconds. */
  readonly chunkDelayMs?: number
}

/**
 * The model without key and network: searches by rules and cites what it saw. It has no state between requests: the
 * prompt, the tools and `providerOptions.offshoot.agent` decide everything, so any process can continue. Fails only on
 * abort, with the signal's reason.
 */
export function createOfflineModel({ clock, chunkDelayMs = 0 }: OfflineModelOptions = {}): LanguageModelV4 {
  const stream = (options: LanguageModelV4CallOptions): ReadableStream<LanguageModelV4StreamPart> => {
    const transcript = readTranscript(options.prompt)
    const thought = think({ agent: agentOf(options), transcript, offered: offeredTools(options) })
    const delay = clock && chunkDelayMs > 0 ? { clock, ms: chunkDelayMs } : null
    return streamThought(thought, transcript, options, delay)
  }
  return {
    specificationVersion: 'v4',
    provider: 'offline',
    modelId: 'offline',
    supportedUrls: {},
    doStream: async (options) => {
      options.abortSignal?.throwIfAborted()
      return { stream: stream(options) }
    },
    doGenerate: async (options) => {
      options.abortSignal?.throwIfAborted()
      return drain(stream(options))
    },
  }
}

function agentOf({ providerOptions }: LanguageModelV4CallOptions): string {
  const agent = providerOptions?.['offshoot']?.['agent']
  return typeof agent === 'string' ? agent : 'main'
}

function offeredTools({ tools, toolChoice }: LanguageModelV4CallOptions): ReadonlySet<string> {
  if (toolChoice?.type === 'none') return new Set()
  return new Set(tools?.flatMap((tool) => (tool.type === 'function' ? [tool.name] : [])))
}

async function drain(
  stream: ReadableStream<LanguageModelV4StreamPart>,
): Promise<LanguageModelV4GenerateResult> {
  const content: LanguageModelV4Content[] = []
  let text = ''
  let usage: LanguageModelV4Usage = {
    inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 0, text: 0, reasoning: 0 },
  }
  let finishReason: LanguageModelV4GenerateResult['finishReason'] = { unified: 'other', raw: undefined }
  for await (const part of stream) {
    if (part.type === 'text-delta') text += part.delta
    else if (part.type === 'tool-call') content.push(part)
    else if (part.type === 'finish') ({ usage, finishReason } = part)
  }
  return {
    content: text === '' ? content : [{ type: 'text', text }, ...content],
    finishReason,
    usage,
    warnings: [],
  }
}
