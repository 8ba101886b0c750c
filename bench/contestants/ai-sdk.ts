import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { isStepCount, streamText, tool } from 'ai'
import { lookup, LOOKUP, lookupInput, MODEL, sideBySide, SYSTEM } from '../workload.ts'
import type { Contestant, Conversation, Outcome } from '../workload.ts'

const MOST_STEPS = 1_000

/** The AI SDK's own loop as its documentation shows it, with the global fetch. */
export const aiSdk: Contestant = {
  converse,
  fanOut: (fanOut) => sideBySide(converse, fanOut),
}

async function converse({ baseUrl, prompt }: Conversation): Promise<Outcome> {
  const model = createOpenAICompatible({ name: 'bench', baseURL: baseUrl, includeUsage: true }).chatModel(
    MODEL,
  )
  const result = streamText({
    model,
    system: SYSTEM,
    prompt,
    tools: {
      [LOOKUP.name]: tool({
        description: LOOKUP.description,
        inputSchema: lookupInput,
        execute: async (input) => lookup(input),
      }),
    },
    stopWhen: isStepCount(MOST_STEPS),
  })
  let turns = 0
  let characters = 0
  for await (const part of result.fullStream) {
    if (part.type === 'error') throw part.error
    if (part.type === 'finish-step') turns++
    if (part.type === 'text-delta') characters += part.text.length
  }
  return { turns, characters }
}
