import type { AgentDefinition } from '../core/agent.ts'
import type { Level } from '../permissions/types.ts'

/** The level that an agent's definition adds below those of its ancestors: it can only narrow. */
export function agentLevel(agent: AgentDefinition): Level {
  return {
    name: `agent ${agent.name}`,
    layers: [{ name: `agent ${agent.name}`, rules: agent.permissions ?? [] }],
  }
}
