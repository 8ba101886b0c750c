// One contestant in one scenario, in a process of its own: `contestant.ts NAME SCENARIO BASE_URL SIZE...`. Prints figures as JSON.
import { createFetch } from '../src/model/fetch.ts'
import type { Figures } from './children.ts'
import { measureAppends } from './append.ts'
import { deltasPrompt, turnsPrompt, type Contestant, type Outcome } from './workload.ts'

const [name = '', scenario = '', baseUrl = '', ...sizes] = process.argv.slice(2)
const [amount = 0, size = 0, lanes = 1] = sizes.map(Number)

if (scenario === 'append') {
  console.log(JSON.stringify(await measureAppends(amount, size)))
} else {
  const contestant = await load(name)
  console.log(JSON.stringify(await runScenario(contestant)))
  await contestant.close?.()
  process.exit() // connections that are kept must not hold the figures back
}

async function load(name: string): Promise<Contestant> {
  switch (name) {
    case 'hand-written':
      return (await import('./contestants/hand-written.ts')).handWritten
    case 'doStream, global fetch':
      return (await import('./contestants/do-stream.ts')).doStream(undefined)
    case 'doStream, our fetch':
      return (await import('./contestants/do-stream.ts')).doStream(createFetch())
    case 'offshoot':
      return (await import('./contestants/offshoot.ts')).offshoot(baseUrl)
    case 'AI SDK loop':
      return (await import('./contestants/ai-sdk.ts')).aiSdk
    default:
      throw new Error(`unknown contestant ${name}`)
  }
}

/** Sizes: conversations, their turns and how many side by side; deltas; children and their turns. */
async function runScenario(contestant: Contestant): Promise<Figures> {
  switch (scenario) {
    case 'turns': {
      const conversation = () => contestant.converse({ baseUrl, prompt: turnsPrompt(size) })
      await repeat(conversation, Math.ceil(amount / 3), lanes)
      return measure(() => repeat(conversation, amount, lanes), amount * (size + 1))
    }
    case 'warm turns': {
      const conversation = () => contestant.converse({ baseUrl, prompt: turnsPrompt(size) })
      globalThis.gc?.() // it throws compiled code away, which is so compiled again before anything counts
      await repeat(conversation, Math.ceil(amount / 2), lanes)
      return measure(() => repeat(conversation, amount, lanes), amount * (size + 1), false)
    }
    case 'deltas':
      await contestant.converse({ baseUrl, prompt: deltasPrompt(amount / 4) })
      return measure(() => contestant.converse({ baseUrl, prompt: deltasPrompt(amount) }), amount)
    case 'fan-out': {
      const fanOut = (children: number) => contestant.fanOut!(baseUrl, children, size)
      await fanOut(10)
      await repeat(() => contestant.converse({ baseUrl, prompt: turnsPrompt(20) }), 10, 1)
      return measure(() => fanOut(amount), amount)
    }
    default:
      throw new Error(`unknown scenario ${scenario}`)
  }
}

/** So many conversations, of which `lanes` go on at a time. */
async function repeat(conversation: () => Promise<Outcome>, times: number, lanes: number): Promise<Outcome> {
  const total = { turns: 0, characters: 0 }
  let left = times
  const lane = async () => {
    while (left-- > 0) {
      const { turns, characters } = await conversation()
      total.turns += turns
      total.characters += characters
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return total
}

/** CPU is that of the whole process, all its threads; the server has a process of its own. */
async function measure(work: () => Promise<Outcome>, units: number, collect = true): Promise<Figures> {
  if (collect) globalThis.gc?.()
  const rssBefore = process.memoryUsage.rss()
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  const outcome = await work()
  const wallMs = performance.now() - startedAt
  const { user, system } = process.cpuUsage(cpuBefore)
  const memoryBytes = Math.max(0, process.resourceUsage().maxRSS * 1024 - rssBefore)
  return {
    cpuUs: (user + system) / units,
    wallUs: (wallMs * 1000) / units,
    memoryBytes: memoryBytes / units,
    ...outcome,
  }
}
