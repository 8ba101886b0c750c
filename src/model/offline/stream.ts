import type {
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'
import { estimateTokens } from '../../core/tokens.ts'
import type { Transcript } from './prompt-transcript.ts'
import type { Thought } from './search-calls.ts'

/**
 * A thought in the form of a provider's stream: text in small pieces, then the calls, then the usage. An abort errors
 * the stream.
 */
export function streamThought(
  thought: Thought,
  transcript: Transcript,
  { prompt, abortSignal }: LanguageModelV4CallOptions,
): ReadableStream<LanguageModelV4StreamPart> {
  const parts = partsOf(thought, transcript.callCount, promptChars(prompt))
  return new ReadableStream({
    pull(controller) {
      abortSignal?.throwIfAborted()
      const { done, value } = parts.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
}

/** The same without a stream. */
export function resultOf(parts: readonly LanguageModelV4StreamPart[]): LanguageModelV4GenerateResult {
  const text = parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join('')
  const { finishReason, usage } = parts.find((part) => part.type === 'finish')!
  const calls = parts.filter((part) => part.type === 'tool-call')
  const content = text === '' ? calls : [{ type: 'text' as const, text }, ...calls]
  return { content, finishReason, usage, warnings: [] }
}

function* partsOf(
  { text, calls }: Thought,
  callCount: number,
  inputChars: number,
): Generator<LanguageModelV4StreamPart> {
  yield { type: 'stream-start', warnings: [] }
  if (text !== '') {
    yield { type: 'text-start', id: 'text' }
    for (const delta of pieces(text, 48)) yield { type: 'text-delta', id: 'text', delta }
    yield { type: 'text-end', id: 'text' }
  }
  let outputChars = text.length
  for (const [i, call] of calls.entries()) {
    const id = `offline_${callCount + i + 1}`
    const input = JSON.stringify(call.input)
    outputChars += input.length
    yield { type: 'tool-input-start', id, toolName: call.tool }
    for (const delta of pieces(input, 64)) yield { type: 'tool-input-delta', id, delta }
    yield { type: 'tool-input-end', id }
    yield { type: 'tool-call', toolCallId: id, toolName: call.tool, input }
  }
  yield {
    type: 'finish',
    finishReason: { unified: calls.length > 0 ? 'tool-calls' : 'stop', raw: undefined },
    usage: usageOf(inputChars, outputChars),
  }
}

/** Groups of whole words of about `size` characters. */
function pieces(text: string, size: number): string[] {
  return text.match(new RegExp(`[\\s\\S]{1,${size}}\\S{0,24}\\s?`, 'gu')) ?? []
}

function usageOf(inputChars: number, outputChars: number): LanguageModelV4Usage {
  const input = estimateTokens(inputChars)
  const output = estimateTokens(outputChars)
  return {
    inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: output, text: output, reasoning: 0 },
  }
}

function promptChars(prompt: readonly LanguageModelV4Message[]): number {
  return prompt.reduce((sum, message) => sum + messageChars(message), 0)
}

function messageChars(message: LanguageModelV4Message): number {
  if (message.role === 'system') return message.content.length
  return message.content.reduce((sum, part) => sum + partChars(part), 0)
}

type Part = Exclude<LanguageModelV4Message['content'], string>[number]

function partChars(part: Part): number {
  if (part.type === 'text' || part.type === 'reasoning') return part.text.length
  if (part.type === 'tool-call') return (JSON.stringify(part.input) ?? '').length
  if (part.type !== 'tool-result') return 0
  const { output } = part
  return 'value' in output && typeof output.value === 'string' ? output.value.length : 100
}
