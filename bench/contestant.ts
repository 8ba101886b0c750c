// One contestant in one scenario, in a process of its own: `contestant.ts NAME SCENARIO BASE_URL SIZE...`. Prints figures as JSON.
import { createFetch } from '../src/model/fetch.ts'
import type { Figures, StoredBytes } from './children.ts'
import { measureAppends } from './append.ts'
import { measureStoredBytes } from './stored-bytes.ts'
import { openUnsynced } from './unsynced.ts'
import { deltasPrompt, turnsPrompt, type Contestant, type Outcome } from './workload.ts'

const [name = '', scenario = '', baseUrl = '', ...numbers] = process.argv.slice(2)
const sizes = numbers.map(Number)

console.log(JSON.stringify(await figures()))
process.exit() // connections that are kept must not hold the figures back

async function figures(): Promise<Figures | StoredBytes> {
  if (scenario === 'append') return measureAppends(sizes[0]!, sizes[1]!)
  if (scenario === 'bytes') return measureStoredBytes(baseUrl, sizes[0]!, sizes[1]!)
  const contestant = await load(name)
  try {
    return await runScenario(contestant)
  } finally {
    await contestant.close?.()
  }
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
    case 'offshoot, NORMAL':
      return (await import('./contestants/offshoot.ts')).offshoot(baseUrl, openUnsynced)
    case 'AI SDK loop':
      return (await import('./contestants/ai-sdk.ts')).aiSdk
    default:
      throw new Error(`unknown contestant ${name}`)
  }
}

async function runScenario(contestant: Contestant): Promise<Figures> {
  switch (scenario) {
    case 'turns': {
      const [conversations = 0, turns = 0, lanes = 1] = sizes
      const conversation = () => contestant.converse({ baseUrl, prompt: turnsPrompt(turns) })
      await repeat(conversation, Math.ceil(conversations / 3), lanes)
      return measure(() => repeat(conversation, conversations, lanes), conversations * (turns + 1))
    }
    case 'warm turns': {
      const [conversations = 0, turns = 0, lanes = 1] = sizes
      const conversation = () => contestant.converse({ baseUrl, prompt: turnsPrompt(turns) })
      await repeat(conversation, conversations, lanes)
      return measure(() => repeat(conversation, conversations, lanes), conversations * (turns + 1))
    }
    case 'deltas': {
      const [deltas = 0] = sizes
      await contestant.converse({ baseUrl, prompt: deltasPrompt(deltas / 4) })
      return measure(() => contestant.converse({ baseUrl, prompt: deltasPrompt(deltas) }), deltas)
    }
    case 'fan-out':
    case 'memory of a fan-out': {
      const [children = 0, turns = 0, latencyMs = 0, times = 1] = sizes
      await contestant.fanOut!({ baseUrl, children: 10, turns, latencyMs: 0 })
      await repeat(() => contestant.converse({ baseUrl, prompt: turnsPrompt(20) }), 10, 1)
      const fanOut = () => contestant.fanOut!({ baseUrl, children, turns, latencyMs })
      // so that memory is what the children need, and not what was free
      if (scenario === 'memory of a fan-out') globalThis.gc?.()
      return measure(() => repeat(fanOut, times, 1), children * times)
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

/**
 * CPU is that of the whole process, all its threads; the server has a process of its own. No forced collection before: at
 * a moment without a conversation it makes V8 drop the compiled code of all that a conversation uses.
 */
async function measure(work: () => Promise<Outcome>, units: number): Promise<Figures> {
  const rssBefore = process.memoryUsage.rss()
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  const { turns, characters } = await work()
  const wallMs = performance.now() - startedAt
  const { user, system } = process.cpuUsage(cpuBefore)
  const memoryBytes = Math.max(0, process.resourceUsage().maxRSS * 1024 - rssBefore)
  return {
    cpuUs: (user + system) / units,
    wallUs: (wallMs * 1000) / units,
    memoryBytes: memoryBytes / units,
    turns,
    characters,
  }
}
