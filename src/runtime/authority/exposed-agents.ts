import type { AgentRegistry } from '../../agents/registry.ts'
import type { AgentDefinition } from '../../core/agent.ts'
import type { Registry } from '../../tools/registry.ts'
import { isControlName, isTaskName } from '../task/task-input.ts'

/** Agents offered as tools. */
export interface ExposedAgents {
  /** By tool name. */
  readonly tools: ReadonlyMap<string, AgentDefinition>
  /** One sentence for each that cannot be offered. */
  readonly notes: readonly string[]
}

/** Names of tools that exist only for some runs or configurations. */
const RESERVED = new Set(['askuser', 'gettools', 'usetool', 'webfetch', 'websearch'])

/** On a name clash, a tool that is not an agent wins, then the first agent. */
export function exposedAgents(
  agents: Pick<AgentRegistry, 'list'>,
  tools: Pick<Registry, 'get'>,
): ExposedAgents {
  const exposed = new Map<string, AgentDefinition>()
  const notes: string[] = []
  for (const agent of agents.list()) {
    const name = agent.exposeAsTool?.name
    if (name === undefined || agent.name === 'main') continue
    const why = whyNot(agent, name, exposed, tools)
    if (why) notes.push(`${agent.source}: the agent ${agent.name} is not offered as the tool ${name}: ${why}`)
    else exposed.set(name, agent)
  }
  return { tools: exposed, notes }
}

function whyNot(
  { inputSchema }: AgentDefinition,
  name: string,
  exposed: ReadonlyMap<string, AgentDefinition>,
  tools: Pick<Registry, 'get'>,
): string | null {
  if (!inputSchema) return 'it has no inputSchema'
  if (tools.get(name) || isTaskName(name) || isControlName(name) || RESERVED.has(plain(name)))
    return 'another tool has that name'
  const first = [...exposed].find(([other]) => plain(other) === plain(name))?.[1]
  return first ? `the agent ${first.name} (${first.source}) is` : null
}

/** Whether a name in a tool list or a call means this tool. */
export function isToolName(name: string, tool: string): boolean {
  return plain(name) === plain(tool)
}

function plain(name: string): string {
  return name.trim().toLowerCase().replace(/[_-]/g, '')
}
