// An agent whose report has to fit a schema: what the program gets is data of that type, not a text.
import { agent, createOffshoot } from 'offshoot'
import { z } from 'zod'
import { modelOr } from './model.ts'

const reviewer = agent({
  name: 'risk-reviewer',
  description: 'lists risks',
  prompt: 'List the risks of what you are shown.',
  tools: [],
  outputSchema: z.object({
    risks: z.array(z.object({ what: z.string(), severity: z.enum(['low', 'high']) })),
  }),
})

const model = modelOr({
  'risk-reviewer': [{ text: '{"risks": [{"what": "the key is in the log", "severity": "high"}]}' }],
})
await using offshoot = await createOffshoot({ store: ':memory:', ...model })
const run = await (await offshoot.chat()).spawn('logger.info({ key })', { agent: reviewer })
const { output, status } = await run.result()
for (const { what, severity } of output?.risks ?? []) console.log(`${severity}: ${what}`)
console.log(status)
