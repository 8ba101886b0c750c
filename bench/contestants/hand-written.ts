import {
  fanOutPrompt,
  lookup,
  LOOKUP,
  LOOKUP_SCHEMA,
  MODEL,
  SYSTEM,
  TASK,
  TASK_SCHEMA,
  type Contestant,
  type Conversation,
  type Outcome,
} from '../workload.ts'

/**
 * The smallest loop that one would write by hand over the global fetch, and the measure of the others: one provider, no
 * limits, no errors, no stop, nothing kept.
 */
export const handWritten: Contestant = {
  converse,
  fanOut: (fanOut) => converse({ baseUrl: fanOut.baseUrl, prompt: fanOutPrompt(fanOut) }, [TASK_TOOL]),
}

interface Call {
  readonly id: string
  readonly type: 'function'
  readonly function: { name: string; arguments: string }
}

interface Chunk {
  readonly choices: readonly {
    readonly delta: {
      readonly content?: string
      readonly tool_calls?: readonly (Call & { readonly index: number })[]
    }
  }[]
}

const LOOKUP_TOOL = { type: 'function', function: { ...LOOKUP, parameters: LOOKUP_SCHEMA } }
const TASK_TOOL = { type: 'function', function: { ...TASK, parameters: TASK_SCHEMA } }

interface Concluded extends Outcome {
  readonly text: string
}

async function converse(
  { baseUrl, prompt }: Conversation,
  tools: readonly object[] = [LOOKUP_TOOL],
): Promise<Concluded> {
  const messages: object[] = [
    { role: 'system', content: SYSTEM },
    { role: 'user', content: prompt },
  ]
  let turns = 0
  let characters = 0
  const onText = (text: string) => {
    characters += text.length
  }
  const execute = async (call: Call) => {
    const input = JSON.parse(call.function.arguments) as { key: string; prompt: string }
    if (call.function.name !== TASK.name) return lookup(input)
    const child = await converse({ baseUrl, prompt: input.prompt })
    turns += child.turns
    characters += child.characters
    return child.text
  }
  for (;;) {
    turns++
    const { text, calls } = await ask(baseUrl, messages, tools, onText)
    messages.push({ role: 'assistant', content: text, ...(calls.length > 0 ? { tool_calls: calls } : {}) })
    if (calls.length === 0) return { turns, characters, text }
    const results = await Promise.all(calls.map(execute))
    for (const [i, content] of results.entries())
      messages.push({ role: 'tool', tool_call_id: calls[i]!.id, content })
  }
}

async function ask(
  baseUrl: string,
  messages: readonly object[],
  tools: readonly object[],
  onText: (text: string) => void,
) {
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: MODEL,
      messages,
      tools,
      stream: true,
      stream_options: { include_usage: true },
    }),
  })
  if (!response.ok || !response.body) throw new Error(`the server answered ${response.status}`)
  let text = ''
  const calls: Call[] = []
  for await (const data of events(response.body)) {
    const delta = (JSON.parse(data) as Chunk).choices[0]?.delta
    if (delta?.content) {
      text += delta.content
      onText(delta.content)
    }
    for (const { index, ...call } of delta?.tool_calls ?? []) {
      if (calls[index]) calls[index].function.arguments += call.function.arguments
      else calls[index] = call
    }
  }
  return { text, calls }
}

/** The data of server-sent events, up to `[DONE]`. */
async function* events(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let buffer = ''
  for await (const bytes of body) {
    buffer += decoder.decode(bytes, { stream: true })
    for (let end = buffer.indexOf('\n\n'); end >= 0; end = buffer.indexOf('\n\n')) {
      const event = buffer.slice(0, end)
      buffer = buffer.slice(end + 2)
      if (event === 'data: [DONE]') return
      if (event.startsWith('data: ')) yield event.slice(6)
    }
  }
}
