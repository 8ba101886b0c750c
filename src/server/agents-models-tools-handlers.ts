import type { AgentDefinition } from '../core/agent.ts'
import { configValues } from '../config/config-values.ts'
import { listModels } from '../library/model-list.ts'
import type { Handlers } from './route-handler.ts'
import type { Workplace } from './directory-runtimes.ts'

/** What there is, in the directory that is named, else where the server was started. */
export const agentsModelsToolsHandlers: Handlers<
  'health' | 'listAgents' | 'listModels' | 'listTools' | 'getConfig'
> = {
  health: ({ version }) => ({ ok: true, version }),

  async listAgents({ workplaces, directory }, { input: { conversation } }) {
    const workplace = await (conversation ? workplaces.of(conversation) : workplaces.at(directory))
    return workplace.composed.agents.list().map((agent) => agentRow(workplace, agent))
  },

  listModels: async ({ workplaces, directory }) =>
    await listModels((await workplaces.at(directory)).composed),

  async listTools({ workplaces, directory }) {
    const { tools } = (await workplaces.at(directory)).composed
    return tools.list().map((tool) => {
      const { name, toolset, description, effects } = tool
      const inputSchema = { ...tools.schema(tool).inputSchema }
      return { name, toolset, description, effects, inputSchema }
    })
  },

  async getConfig({ workplaces, directory, version }) {
    const { loaded, warnings } = (await workplaces.at(directory)).composed
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

function agentRow({ composed: { runtime, agents } }: Workplace, agent: AgentDefinition) {
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
