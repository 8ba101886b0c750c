// A batch that spends at most $0.50: every ticket of a file is judged by a subagent, four at a time. What the money does not
// reach is printed, so that the next batch can start there.
import { readFileSync } from 'node:fs'
import { agent, createOffshoot, OffshootError } from 'offshoot'
import { z } from 'zod'

const BUDGET_USD = 0.5
const AT_ONCE = 4

const triage = agent({
  name: 'triage',
  description: 'judges a support ticket',
  prompt: 'Judge the support ticket. A ticket is urgent if the customer cannot work.',
  tools: [],
  outputSchema: z.object({ urgent: z.boolean(), summary: z.string().max(200) }),
  maxTurns: 3,
  maxCostUsd: 0.1,
})

const tickets = readFileSync(process.argv[2] ?? 'tickets.txt', 'utf8')
  .trim()
  .split('\n')
await using offshoot = await createOffshoot({
  store: 'batch.db',
  agents: [triage],
  config: { limits: { budgetUsd: BUDGET_USD, maxSpawns: tickets.length } },
})
const chat = await offshoot.chat() // one conversation has one budget
const waiting = tickets.map((text, at) => ({ text, number: at + 1 }))
const left: number[] = []
let spentUsd = 0

/** Judges one ticket; false: there is no money for it. */
async function judge({ text, number }: (typeof waiting)[number]): Promise<boolean> {
  const run = await chat.spawn(text, { agent: triage })
  const { status, reason, output, costUsd, error } = await run.result()
  spentUsd += costUsd ?? 0
  if (output) console.log(`${number}: ${output.urgent ? 'URGENT ' : ''}${output.summary}`)
  else left.push(number)
  if (status === 'failed') console.error(`${number}: ${error?.code}: ${error?.message}`)
  return reason !== 'budget'
}

async function work(): Promise<void> {
  for (let ticket = waiting.shift(); ticket; ticket = waiting.shift()) {
    const hasMoney = await judge(ticket).catch((error: unknown) => {
      if (!(error instanceof OffshootError) || error.code !== 'conflict') throw error
      left.push(ticket.number) // a subagent can no longer reserve its part
      return false
    })
    if (!hasMoney) return
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, work))
left.push(...waiting.map(({ number }) => number))
console.log(
  `spent $${spentUsd.toFixed(3)} of $${BUDGET_USD.toFixed(2)}; not judged: ${left.toSorted((a, b) => a - b).join(', ') || 'none'}`,
)
