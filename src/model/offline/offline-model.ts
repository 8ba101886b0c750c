import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { readTranscript } from './prompt-transcript.ts'
import { resultOf, streamThought } from './stream.ts'
import { think } from './think.ts'

/**
 * The model without key and network: searches by rules and cites what it saw. It has no state between requests: the
 * prompt, the tools and `providerOptions.offshoot.agent` decide everything, so any process can continue. Fails only on
 * abort, with the signal's reason.
 */
export function createOfflineModel(): LanguageModelV4 {
  const answer = (options: LanguageModelV4CallOptions) => {
    options.abortSignal?.throwIfAborted()
    const transcript = readTranscript(options.prompt)
    const thought = think({ agent: agentOf(options), transcript, offered: offeredTools(options) })
    return streamThought(thought, transcript, options)
  }
  return {
    specificationVersion: 'v4',
    provider: 'offline',
    modelId: 'offline',
    supportedUrls: {},
    doStream: async (options) => ({ stream: answer(options) }),
    doGenerate: async (options) => resultOf(await Array.fromAsync(answer(options))),
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
