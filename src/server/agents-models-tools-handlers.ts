import type { AgentDefinition } from '../core/agent.ts'
import { configValues } from '../config/config-values.ts'
import { listModels } from '../library/model-list.ts'
import type { Handlers } from './route-handler.ts'
import type { DirectoryRuntime } from './directory-runtimes.ts'

/** Handlers for the named directory, else where the server was started. */
export const agentsModelsToolsHandlers: Handlers<
  'health' | 'listAgents' | 'listModels' | 'listTools' | 'getConfig'
> = {
  health: ({ version }) => ({ ok: true, version }),

  async listAgents({ directoryRuntimes, directory }, { input: { conversation } }) {
    const directoryRuntime = await (conversation
      ? directoryRuntimes.of(conversation)
      : directoryRuntimes.at(directory))
    return directoryRuntime.composed.agents.list().map((agent) => agentRow(directoryRuntime, agent))
  },

  listModels: async ({ directoryRuntimes, directory }) =>
    await listModels((await directoryRuntimes.at(directory)).composed),

  async listTools({ directoryRuntimes, directory }) {
    const { tools } = (await directoryRuntimes.at(directory)).composed
    return tools.list().map((tool) => {
      const { name, toolset, description, effects } = tool
      const inputSchema = { ...tools.schema(tool).inputSchema }
      return { name, toolset, description, effects, inputSchema }
    })
  },

  async getConfig({ directoryRuntimes, directory, version }) {
    const { loaded, warnings } = (await directoryRuntimes.at(directory)).composed
    const { values, permissions } = configValues(loaded)
    return {
      values: { ...Object.fromEntries(values.map(({ key, value }) => [key, value])), permissions },
      origins: Object.fromEntries(values.map(({ key, source }) => [key, source])),
      sources: loaded.sources.flatMap(({ file, found }) => (file !== null && found ? [file] : [])),
      warnings,
      directory,
      version,
    }
  },
}

function agentRow({ composed: { runtime, agents } }: DirectoryRuntime, agent: AgentDefinition) {
  const { name, description, prompt, source, spawns } = agent
  const all = agents.names().filter((each) => each !== 'main')
  return {
    name,
    title: agent.title ?? null,
    icon: agent.icon ?? null,
    description,
    prompt,
    source,
    model: agent.model ?? 'inherit',
    maxCostUsd: agent.maxCostUsd ?? null,
    timeoutMs: agent.timeoutMs ?? null,
    background: agent.background ?? false,
    spawns: spawns ?? (name === 'main' || name === 'general' ? all : []),
    inputSchema: agent.inputSchema ?? null,
    outputSchema: agent.outputSchema ?? null,
    ...runtime.sheet(agent),
  }
}
