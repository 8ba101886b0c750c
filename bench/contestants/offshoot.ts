import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAgentRegistry } from '../../src/agents/registry.ts'
import type { AgentDefinition } from '../../src/core/agent.ts'
import type { OffshootEvent } from '../../src/core/events.ts'
import { systemClock } from '../../src/exec/system-clock.ts'
import { createFetch } from '../../src/model/fetch.ts'
import { createResolver } from '../../src/model/resolve.ts'
import { modeLayer } from '../../src/permissions/modes.ts'
import { configSchema } from '../../src/config/config-schema.ts'
import { randomIds } from '../../src/runtime/log/new-id.ts'
import { createRuntime, type Runtime } from '../../src/runtime/host/runtime.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import type { AnyTool, Tool } from '../../src/tools/port.ts'
import { createRegistry } from '../../src/tools/registry.ts'
import { createWorkspace } from '../../src/tools/workspace.ts'
import { fanOutPrompt, lookup, LOOKUP, lookupInput, LOOKUP_SCHEMA, MODEL, SYSTEM } from '../workload.ts'
import type { Contestant, Outcome } from '../workload.ts'

const loner: AgentDefinition = {
  name: 'loner',
  description: 'works alone',
  prompt: SYSTEM,
  spawns: [],
  source: 'built-in',
}
const parent: AgentDefinition = {
  name: 'parent',
  description: 'delegates',
  prompt: SYSTEM,
  spawns: ['child'],
  source: 'built-in',
}
const child: AgentDefinition = {
  name: 'child',
  description: 'is delegated to',
  prompt: SYSTEM,
  source: 'built-in',
}

/** `close` gives the bytes of the store. */
type Offshoot = Omit<Contestant, 'close'> & { close(): Promise<number> }

/** Our loop as programs use it: a SQLite store on disk, every event to one subscriber. */
export async function offshoot(baseUrl: string, open = openSqliteStore): Promise<Offshoot> {
  const directory = await mkdtemp(join(tmpdir(), 'offshoot-bench-'))
  const file = join(directory, 'bench.db')
  const store = await open({ file, now: systemClock.now })
  const most = 1_000_000
  const limits = {
    maxTurns: most,
    maxSpawns: most,
    maxConcurrent: most,
    globalConcurrent: most,
    maxTokens: 1e12,
  }
  const config = configSchema().parse({ limits })
  const runtime = createRuntime({
    store,
    clock: systemClock,
    newId: randomIds(systemClock),
    random: Math.random,
    tools: createRegistry([lookupTool()]),
    agents: createAgentRegistry([loner, parent, child]),
    resolveModel: createResolver({
      env: { OPENAI_BASE_URL: baseUrl },
      fetch: createFetch(),
      clock: systemClock,
      config,
    }),
    smallModelOf: (id) => id,
    config,
    rootLayers: [modeLayer('ask')],
    owner: 'bench',
  })
  const workspace = createWorkspace(directory)
  const start = (agent: AgentDefinition, prompt: string) =>
    run(runtime, { workspace, agent, prompt, model: `openai-compatible/${MODEL}`, systemText: () => SYSTEM })
  return {
    converse: ({ prompt }) => start(loner, prompt),
    fanOut: (fanOut) => start(parent, fanOutPrompt(fanOut)),
    async close() {
      await store.close()
      const { size } = await stat(file)
      await rm(directory, { recursive: true })
      return size
    },
  }
}

async function run(runtime: Runtime, options: Parameters<Runtime['start']>[0]): Promise<Outcome> {
  let turns = 0
  let characters = 0
  const onEvents = (events: readonly OffshootEvent[]) => {
    for (const event of events) {
      if (event.type === 'turn.completed') turns++
      if (event.type === 'part.delta' && event.kind === 'text') characters += event.text.length
    }
  }
  const started = await runtime.start(options)
  const unsubscribe = runtime.subscribe(started.conversationId, onEvents)
  const { status, error } = await started.result
  unsubscribe()
  if (status !== 'completed') throw new Error(`the run is ${status}: ${error?.message ?? ''}`)
  return { turns, characters }
}

function lookupTool(): AnyTool {
  const tool: Tool<{ key: string }, string> = {
    ...LOOKUP,
    toolset: 'bench',
    inputSchema: lookupInput,
    jsonSchema: LOOKUP_SCHEMA,
    effects: 'none',
    idempotent: true,
    subject: ({ key }) => [{ kind: 'name', value: key }],
    title: ({ key }) => `Look up ${key}`,
    execute: async (input) => lookup(input),
    toModelOutput: (text) => ({ text }),
  }
  return tool as unknown as AnyTool
}
