import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type {
  LanguageModelV4,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCall,
} from '@ai-sdk/provider'
import type { Fetch } from '../../src/model/fetch.ts'
import { lookup, LOOKUP, LOOKUP_SCHEMA, MODEL, SYSTEM } from '../workload.ts'
import type { Contestant } from '../workload.ts'

/** The smallest loop over the provider interface: what the provider packages and the connection cost by themselves. */
export function doStream(fetch: Fetch | undefined): Contestant {
  return {
    async converse({ baseUrl, prompt }) {
      const more = fetch ? { fetch: fetch as typeof globalThis.fetch } : {}
      const model = createOpenAICompatible({
        name: 'bench',
        baseURL: baseUrl,
        includeUsage: true,
        ...more,
      }).chatModel(MODEL)
      const messages: LanguageModelV4Message[] = [
        { role: 'system', content: SYSTEM },
        { role: 'user', content: [{ type: 'text', text: prompt }] },
      ]
      let characters = 0
      const onText = (text: string) => {
        characters += text.length
      }
      for (let turns = 1; ; turns++) {
        const { text, calls } = await ask(model, messages, onText)
        messages.push({ role: 'assistant', content: [...text, ...calls.map(callPart)] })
        if (calls.length === 0) return { turns, characters }
        messages.push({ role: 'tool', content: calls.map(resultPart) })
      }
    },
  }
}

const TOOLS: LanguageModelV4FunctionTool[] = [
  { type: 'function', ...LOOKUP, inputSchema: LOOKUP_SCHEMA as never },
]

async function ask(
  model: LanguageModelV4,
  prompt: readonly LanguageModelV4Message[],
  onText: (text: string) => void,
) {
  const { stream } = await model.doStream({ prompt: [...prompt], tools: TOOLS, toolChoice: { type: 'auto' } })
  let text = ''
  const calls: LanguageModelV4ToolCall[] = []
  for await (const part of stream) {
    if (part.type === 'error') throw part.error
    if (part.type === 'tool-call') calls.push(part)
    if (part.type !== 'text-delta') continue
    text += part.delta
    onText(part.delta)
  }
  const parts: LanguageModelV4TextPart[] = text === '' ? [] : [{ type: 'text', text }]
  return { text: parts, calls }
}

function callPart({ toolCallId, toolName, input }: LanguageModelV4ToolCall) {
  return { type: 'tool-call' as const, toolCallId, toolName, input: JSON.parse(input) as unknown }
}

function resultPart({ toolCallId, toolName, input }: LanguageModelV4ToolCall) {
  const value = lookup(JSON.parse(input) as { key: string })
  return { type: 'tool-result' as const, toolCallId, toolName, output: { type: 'text' as const, value } }
}
