import { agentAliases } from '../core/rules/agent-names.ts'
import { plainName } from '../core/rules/tool-names.ts'

const ours = new Map(
  Object.entries(agentAliases).flatMap(([name, aliases]) =>
    [name, ...aliases].map((alias) => [plainName(alias), name] as const),
  ),
)

/**
 * Resolves a typed agent name: an exact match, else ours for another system's name or other capitals (`Explore`,
 * `general-purpose`). undefined: none.
 */
export function agentSpelled<A extends { readonly name: string }>(
  name: string,
  agents: readonly A[],
): A | undefined {
  const named = (wanted: string | undefined) => agents.find((agent) => agent.name === wanted)
  return named(name) ?? named(ours.get(plainName(name)))
}
