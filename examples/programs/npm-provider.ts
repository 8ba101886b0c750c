// A model from a provider's package on npm (any AI SDK provider works), with a tool of this program.
import { createOpenAI } from '@ai-sdk/openai'
import { createOffshoot, tool, ToolError } from 'offshoot'
import { z } from 'zod'

const openai = createOpenAI({
  apiKey: process.env['MY_KEY'] ?? '',
  baseURL: process.env['MY_BASE_URL'] ?? '',
})

const orders: Readonly<Record<string, { readonly state: string; readonly eur: number }>> = {
  A1: { state: 'shipped', eur: 40 },
}

const order = tool({
  name: 'order',
  description: 'The state of an order.',
  inputSchema: z.object({ id: z.string().describe('such as A1') }),
  effects: 'none',
  execute({ id }) {
    const found = orders[id]
    if (!found) throw new ToolError('unknown_order', `there is no order ${id}`)
    return found
  },
})

await using offshoot = await createOffshoot({
  model: openai('gpt-6-luna'),
  tools: [order],
  store: ':memory:',
})
const run = await (await offshoot.chat()).send(process.argv[2] ?? 'Where is order A1?')
for await (const event of run.events()) {
  if (event.type === 'part.delta' && event.kind === 'text') process.stdout.write(event.text)
}
const { status, error, usage, costUsd } = await run.result()
console.log(`\n${status}; ${usage.input} tokens in, ${usage.output} out; $${costUsd ?? 'unknown'}`)
if (error) console.error(`${error.code}: ${error.message}`)
