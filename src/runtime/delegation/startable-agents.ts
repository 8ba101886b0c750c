import { agentSpelled } from '../../agents/agent-aliases.ts'
import type { AgentDefinition } from '../../core/agent.ts'
import type { Deps } from '../context/deps.ts'
import { controlsOf, isTaskName } from '../task/task-input.ts'
import { exposedAgents, isToolName } from '../authority/exposed-agents.ts'

type Known = Pick<Deps, 'agents' | 'config'>
export type DelegationPorts = Known & Pick<Deps, 'tools'>

/** The agents that a run may start by `task`; none at the depth limit. */
export function spawnable(deps: Known, agent: AgentDefinition, depth: number): readonly AgentDefinition[] {
  const others = startable(deps, agent, depth)
  return agent.spawns || namesTask(agent) ? others : []
}

/** The agents that it may start by their own tools, by tool name: if it has `task`, or names that tool. */
export function exposedTo(
  deps: DelegationPorts,
  agent: AgentDefinition,
  depth: number,
): ReadonlyMap<string, AgentDefinition> {
  const others = startable(deps, agent, depth)
  if (others.length === 0) return new Map()
  const hasTask = spawnable(deps, agent, depth).length > 0
  const isNamed = (list: readonly string[] | undefined, tool: string) =>
    list?.some((name) => isToolName(name, tool)) ?? false
  const mine = [...exposedAgents(deps.agents, deps.tools).tools].filter(
    ([tool, target]) =>
      others.includes(target) &&
      (hasTask || isNamed(agent.tools, tool)) &&
      !isNamed(agent.disallowedTools, tool),
  )
  return new Map(mine)
}

/** The names of the tools by which a run starts and controls subagents; none if it may start none. */
export function delegationTools(
  deps: DelegationPorts,
  agent: AgentDefinition,
  depth: number,
): readonly string[] {
  const task = spawnable(deps, agent, depth).length > 0 ? ['task'] : []
  const starting = [...task, ...exposedTo(deps, agent, depth).keys()]
  return starting.length > 0 ? [...starting, ...controlsOf(agent)] : []
}

/** By any tool. */
function startable({ agents, config }: Known, agent: AgentDefinition, depth: number): AgentDefinition[] {
  if (depth >= config.limits.maxDepth || config.delegation === 'off') return []
  if (agent.disallowedTools?.some(isTaskName)) return []
  const others = agents.list().filter((each) => each.name !== 'main')
  if (agent.spawns?.includes('*')) return others
  if (agent.spawns) {
    const named = new Set(agent.spawns.map((name) => agentSpelled(name, others)))
    return others.filter((each) => named.has(each))
  }
  return depth === 0 || agent.name === 'general' ? others : []
}

function namesTask({ tools }: AgentDefinition): boolean {
  return tools?.some((name) => name === '*' || isTaskName(name)) ?? true
}
