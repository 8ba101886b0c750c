import type { Action, AgentDefinition } from '../../core/agent.ts'
import { decide } from '../../permissions/decide.ts'
import type { Grant } from '../../permissions/types.ts'
import { agentOf, narrow, rootAuthority, type AuthorityPorts } from '../authority/authority.ts'
import { delegationsTo } from '../authority/delegations.ts'
import type { Deps } from '../context/deps.ts'
import { ownTurns } from './run-limits.ts'

/** An agent as it works here if the main agent starts it: with the effective rules, limits and tools. */
export interface AgentSheet {
  readonly tools: readonly string[]
  readonly maxTurns: number
  readonly permissions: readonly EffectivePermission[]
  readonly delegations: readonly Grant[]
}

/** The decision about a call of a tool without further details. */
export interface EffectivePermission {
  readonly tool: string
  readonly pattern: string | null
  readonly action: Action
  /** The deciding rule, as text. */
  readonly rule: string
}

export function agentSheet(deps: AuthorityPorts & Pick<Deps, 'store'>, agent: AgentDefinition): AgentSheet {
  const root = rootAuthority(deps, deps.store, undefined)
  const main = narrow(deps, root, agentOf(deps, 'main'))
  const isMain = agent.name === 'main'
  const { tools, chain } = isMain ? main : narrow(deps, main, agent)
  return {
    tools: tools.map(({ name }) => name),
    maxTurns: ownTurns(deps, agent, isMain ? 0 : 1),
    permissions: tools.map(({ name, toolset, effects }) => {
      const call = { tool: name, toolset, effects, subjects: [], resolvePath: unknownPath }
      const { action, why } = decide(call, chain)
      return { tool: name, pattern: null, action, rule: why }
    }),
    delegations: isMain ? [] : delegationsTo(deps, main, agent),
  }
}

function unknownPath(path: string) {
  return { absolute: path, relative: path, outside: false, guarded: null }
}
