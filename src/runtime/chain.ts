import type { AgentDefinition } from '../core/agent.ts'
import { modeLayer } from '../permissions/modes.ts'
import type { Level } from '../permissions/types.ts'
import type { AnyTool } from '../tools/port.ts'

/**
 * The level that an agent's definition adds below those of its ancestors: it can only narrow. `withheld`: the tools that
 * its own lists take from it.
 */
export function agentLevel(agent: AgentDefinition, withheld: readonly AnyTool[]): Level {
  return {
    name: `agent ${agent.name}`,
    agent: { name: agent.name, withheld: withheld.map(({ name }) => name) },
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
