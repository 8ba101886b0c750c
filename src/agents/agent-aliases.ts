import { plainName } from '../core/rules/tool-names.ts'

/** Names of the agents of other systems, by ours that do the same and may do no more. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  main: ['build', 'primary'],
  general: ['general-purpose', 'generalist', 'worker', 'default', 'task'],
  explore: ['explorer', 'codebase_investigator'],
  planner: ['plan'],
  reviewer: ['code-review', 'code-reviewer'],
  researcher: ['research'],
}

const ours = new Map(
  Object.entries(ALIASES).flatMap(([name, aliases]) =>
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
