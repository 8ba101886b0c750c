import type { AgentDefinition } from '../core/agent.ts'
import { modeLayer } from './modes.ts'
import type { Level } from './types.ts'

/**
 * The level of an agent's definition. It ranks below the levels of its ancestors, so it can only restrict. `withheld`:
 * the tools that the agent's own lists remove.
 */
export function agentLevel(agent: AgentDefinition, withheld: readonly string[]): Level {
  return {
    name: `agent ${agent.name}`,
    agent: { name: agent.name, withheld },
    layers: [
      { name: `agent ${agent.name}`, rules: agent.permissions ?? [] },
      ...(agent.mode === 'plan' ? [modeLayer('plan')] : []),
      ...(agent.narrowed ?? []).map(({ source, rules }) => ({
        name: `${source}: agents.${agent.name}`,
        rules,
      })),
    ],
  }
}
