import { agentSpelled } from './agent-aliases.ts'
import type { AgentDefinition } from '../core/agent.ts'
import { OffshootError } from '../core/errors.ts'
import { nearestName } from '../core/nearest-name.ts'

export interface AgentRegistry {
  /** Every agent once, in the order given. */
  list(): readonly AgentDefinition[]
  names(): readonly string[]
  get(name: string): AgentDefinition | undefined
  /**
   * Resolves a typed name, including other systems' names for ours. @throws OffshootError `usage` with the known names
   * and the nearest one.
   */
  require(name: string): AgentDefinition
}

/** Agents by name. The first of several with the same name counts: pass project before user before built-in. */
export function createAgentRegistry(agents: readonly AgentDefinition[]): AgentRegistry {
  const byName = new Map<string, AgentDefinition>()
  for (const agent of agents) if (!byName.has(agent.name)) byName.set(agent.name, agent)
  const names = () => [...byName.keys()]
  return {
    list: () => [...byName.values()],
    names,
    get: (name) => byName.get(name),
    require: (name) => agentSpelled(name, [...byName.values()]) ?? unknownAgent(name, names()),
  }
}

function unknownAgent(name: string, known: readonly string[]): never {
  const near = nearestName(name, known)
  throw new OffshootError(
    'usage',
    `unknown agent ${JSON.stringify(name.slice(0, 64))}; known: ${known.join(', ')}`,
    near === undefined ? {} : { hint: `did you mean ${near}?` },
  )
}
