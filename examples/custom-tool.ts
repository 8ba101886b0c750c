// A tool of the program's own. The types of `execute` follow from the schema, and what does not fit never reaches it.
import { createOffshoot, tool, ToolError } from 'offshoot'
import { z } from 'zod'
import { modelOr } from './model.ts'

const STOCK: Readonly<Record<string, number>> = { bolt: 120, nut: 0 }

const stock = tool({
  name: 'stock',
  description: 'How many pieces of an article there are.',
  inputSchema: z.object({ article: z.string().describe('the name of an article, in lower case') }),
  effects: 'none', // it only reads: nobody has to be asked, and after a crash it may run again
  title: ({ article }) => `Count ${article}`,
  execute: ({ article }) => {
    const pieces = STOCK[article]
    if (pieces === undefined) throw new ToolError('unknown_article', `there is no article ${article}`)
    return { article, pieces }
  },
})

const ask = (article: string) => ({ tool: 'stock', input: { article } })
const model = modelOr({
  main: [
    { toolCalls: [ask('bolt'), ask('nut'), ask('wing')] },
    { text: 'There are 120 bolts and no nuts; wings are not an article.' },
  ],
})
await using offshoot = await createOffshoot({ store: ':memory:', tools: [stock], ...model })
const run = await (await offshoot.chat()).send('How many bolts, nuts and wings are there?')
for await (const event of run.events()) {
  if (event.type === 'tool.completed') console.log(`${event.title}: ${event.output}`)
  if (event.type === 'tool.failed') console.log(`${event.title}: failed: ${event.error?.message}`)
}
console.log((await run.result()).text)
