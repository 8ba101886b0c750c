import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { isStepCount, streamText, tool, type ToolSet } from 'ai'
import {
  fanOutPrompt,
  lookup,
  LOOKUP,
  lookupInput,
  MODEL,
  SYSTEM,
  TASK,
  taskInput,
  type Contestant,
  type Conversation,
  type Outcome,
} from '../workload.ts'

const MOST_STEPS = 10_000

/** The AI SDK's own loop as its documentation shows it, with the global fetch. */
export const aiSdk: Contestant = {
  converse,
  fanOut: delegate,
}

const lookupTool = tool({
  description: LOOKUP.description,
  inputSchema: lookupInput,
  execute: async (input) => lookup(input),
})

/** A subagent is a tool that runs another loop, as its documentation has it. */
async function delegate(fanOut: Parameters<NonNullable<Contestant['fanOut']>>[0]): Promise<Outcome> {
  const { baseUrl } = fanOut
  let turns = 0
  let characters = 0
  const count = (outcome: Outcome) => {
    turns += outcome.turns
    characters += outcome.characters
  }
  const task = tool({
    description: TASK.description,
    inputSchema: taskInput,
    execute: async ({ prompt }) => {
      const child = await converse({ baseUrl, prompt })
      count(child)
      return child.text
    },
  })
  count(await converse({ baseUrl, prompt: fanOutPrompt(fanOut) }, { [TASK.name]: task }))
  return { turns, characters }
}

async function converse(
  { baseUrl, prompt }: Conversation,
  tools: ToolSet = { [LOOKUP.name]: lookupTool },
): Promise<Outcome & { readonly text: string }> {
  const model = createOpenAICompatible({ name: 'bench', baseURL: baseUrl, includeUsage: true }).chatModel(
    MODEL,
  )
  const result = streamText({
    model,
    system: SYSTEM,
    prompt,
    tools,
    stopWhen: isStepCount(MOST_STEPS),
  })
  let turns = 0
  let characters = 0
  for await (const part of result.fullStream) {
    if (part.type === 'error') throw part.error
    if (part.type === 'finish-step') turns++
    if (part.type === 'text-delta') characters += part.text.length
  }
  return { turns, characters, text: await result.text }
}
