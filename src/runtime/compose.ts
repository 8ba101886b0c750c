import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { builtinAgents } from '../agents/builtin-agents.ts'
import { loadAgents, type AgentFileNote } from '../agents/load.ts'
import { ownDirectories } from '../agents/own-format.ts'
import { createAgentRegistry, type AgentRegistry } from '../agents/registry.ts'
import { systemPrompt } from '../agents/system-prompt.ts'
import { smallModel } from '../model/catalogue.ts'
import { createFetch, type Fetch } from '../model/fetch.ts'
import { createResolver } from '../model/resolve.ts'
import type { Mode } from '../permissions/modes.ts'
import { modeLayer } from '../permissions/modes.ts'
import { openSqliteStore } from '../store/sqlite/open.ts'
import type { Store } from '../store/port.ts'
import { builtinTools } from '../tools/builtin-tools.ts'
import { createRegistry } from '../tools/registry.ts'
import { createGuard, type Guard } from '../exec/guard.ts'
import { systemClock } from '../exec/system-clock.ts'
import { createWorkspace } from '../tools/workspace.ts'
import type { Workspace } from '../tools/port.ts'
import { randomIds } from './ids.ts'
import { Ownership } from './ownership/ownership.ts'
import { configHome, dataHome, loadConfig, type Env, type LoadedConfig } from './config.ts'
import { createRuntime, type Runtime } from './runtime.ts'
import type { SystemText } from './spawn.ts'
import { readWorkspaceFacts } from './workspace-facts.ts'

export interface ComposeOptions {
  readonly directory: string
  readonly env: Env
  readonly mode: Mode
}

/** A runtime on a directory with the store of this user: what the command line and the library work on. */
export interface Composed {
  readonly runtime: Runtime
  readonly store: Store
  readonly agents: AgentRegistry
  readonly workspace: Workspace
  readonly mode: Mode
  readonly loaded: LoadedConfig
  /** What is to be said about configuration and agent files, one line each. */
  readonly warnings: readonly string[]
  readonly env: Env
  readonly fetch: Fetch
  readonly systemText: SystemText
  /** The value of OFFSHOOT_OWNER in the environment of every process that this runtime starts. */
  readonly owner: string
  /** To be closed at the end: no process that was started outlives that. */
  readonly guard: Guard
}

/** @throws OffshootError: configuration, store, or a directory that cannot be read. */
export async function compose({ directory, env, mode }: ComposeOptions): Promise<Composed> {
  const workspace = createWorkspace(directory, {
    ownDirectories: [dataHome(env), join(configHome(env), 'offshoot')],
  })
  const loaded = loadConfig(workspace.root, env)
  const found = await loadAgents(ownDirectories(workspace.root, configHome(env)))
  const agents = createAgentRegistry([...found.agents, ...builtinAgents()])
  const store = await openSqliteStore({ file: join(dataHome(env), 'offshoot.db'), now: systemClock.now })
  const owner = randomUUID()
  const guard = createGuard({ mark: { name: 'OFFSHOOT_OWNER', value: owner } })
  const fetch = createFetch()
  const tools = createRegistry(builtinTools())
  const runtime = createRuntime({
    store,
    clock: systemClock,
    newId: randomIds(systemClock),
    random: Math.random,
    tools,
    agents,
    resolveModel: createResolver({ env, fetch, clock: systemClock, config: loaded.config }),
    smallModelOf: (id) => smallModel(id, loaded.config.smallModel),
    config: loaded.config,
    rootLayers: [...loaded.layers, modeLayer(mode)],
    owner,
    ownership: new Ownership({ store, clock: systemClock, owner }),
    guard,
  })
  const warnings = [...loaded.warnings, ...found.notes.map(noteText)]
  return {
    runtime,
    store,
    agents,
    workspace,
    mode,
    loaded,
    warnings,
    env,
    fetch,
    systemText: systemTextOf(workspace),
    owner,
    guard,
  }
}

/** One line about an agent file that is skipped or has something wrong in it. */
export function noteText({ path, skipped, warnings }: AgentFileNote): string {
  return `${path}: ${[...(skipped ? [`skipped: ${skipped}`] : []), ...warnings].join('; ')}`
}

/** Reads the workspace once; every branch of the conversation starts from the same facts. */
function systemTextOf(workspace: Workspace): SystemText {
  let facts: ReturnType<typeof readWorkspaceFacts> | undefined
  return ({ agent, depth, maxTurns, tools }) => {
    facts ??= readWorkspaceFacts(workspace.root)
    return systemPrompt({ agent, depth, workspace: facts, limits: { maxTurns }, tools })
  }
}
