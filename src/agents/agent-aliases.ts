import { agentAliases } from '../core/rules/agent-names.ts'
import { plainName } from '../core/rules/tool-names.ts'

const ours = new Map(
  Object.entries(agentAliases).flatMap(([name, aliases]) =>
    [name, ...aliases].map((alias) => [plainName(alias), name] as const),
  ),
)

/**
 * The agent of these that a typed name means: the one of exactly that name, else ours for a name of another system or
 * with other capitals (`Explore`, `general-purpose`). undefined: none.
 */
export function agentSpelled<A extends { readonly name: string }>(
  name: string,
  agents: readonly A[],
): A | undefined {
  const named = (wanted: string | undefined) => agents.find((agent) => agent.name === wanted)
  return named(name) ?? named(ours.get(plainName(name)))
}
