import type { AgentDefinition, Rule } from '../core/agent.ts'
import type { Branch } from '../core/conversation.ts'
import { OffshootError } from '../core/errors.ts'
import type { BranchId } from '../core/ids.ts'
import type { Level } from '../permissions/types.ts'
import type { Reader } from '../store/port.ts'
import type { AnyTool } from '../tools/port.ts'
import { agentLevel } from './chain.ts'
import type { Deps } from './deps.ts'
import { allowedTools, readRestrictions, restrictionLevels } from './restrictions.ts'

/** What binds whoever works on a branch: the rules of its line, and the tools that all of it has. */
export interface Authority {
  readonly chain: readonly Level[]
  readonly tools: readonly AnyTool[]
}

/**
 * The authority of a branch, read from its line: the root's, narrowed by each agent that has spawned and its own
 * restrictions. A fork has that of the branch it leaves.
 * @throws OffshootError `usage` when an agent of the line is not defined any more.
 */
export function authorityOf(
  deps: Pick<Deps, 'agents' | 'tools' | 'rootLayers'>,
  reader: Reader,
  branch: Branch,
): Authority {
  const steps: { readonly agent: string; readonly rules: readonly Rule[] }[] = []
  let agent = branch.agent
  for (const each of lineOf(reader, branch)) {
    if (each.kind === 'fork') continue
    steps.unshift({ agent, rules: readRestrictions(reader, each.id) })
    agent = spawnerOf(reader, each) ?? branchAbove(reader, each)?.agent ?? agent
  }
  return steps.reduce(
    (above, step) => narrow(deps, above, agentOf(deps, step.agent), step.rules),
    rootAuthority(deps),
  )
}

/** The agent whose run has spawned a branch: each message to a main branch may name another one. */
function spawnerOf(reader: Reader, { id }: Branch): string | undefined {
  const first = reader.find('runs', { where: { branchId: id }, orderBy: 'id', limit: 1 })[0]
  return first?.parentRunId ? reader.get('runs', first.parentRunId)?.agent : undefined
}

/** What a main agent is bound by. */
export function rootAuthority({ rootLayers, tools }: Pick<Deps, 'rootLayers' | 'tools'>): Authority {
  return { chain: [{ name: 'root', layers: rootLayers }], tools: tools.list() }
}

/** What an agent may do that somebody of this authority has started. */
export function narrow(
  { tools }: Pick<Deps, 'tools'>,
  above: Authority,
  agent: AgentDefinition,
  rules: readonly Rule[],
): Authority {
  const own = new Set(tools.forAgent(agent.tools, agent.disallowedTools).list())
  return {
    chain: [...above.chain, agentLevel(agent), ...restrictionLevels(rules)],
    tools: allowedTools(
      above.tools.filter((tool) => own.has(tool)),
      rules,
    ),
  }
}

/** The branch, the one above it, and so on up to the main branch. */
export function lineOf(reader: Reader, branch: Branch): Branch[] {
  const line = new Map<BranchId, Branch>()
  for (let next: Branch | undefined = branch; next && !line.has(next.id);) {
    line.set(next.id, next)
    next = branchAbove(reader, next)
  }
  return [...line.values()]
}

function branchAbove(reader: Reader, { parentBranchId }: Branch): Branch | undefined {
  return parentBranchId ? reader.get('branches', parentBranchId) : undefined
}

/** @throws OffshootError `usage`: an agent that worked on a branch is not defined any more. */
export function agentOf({ agents }: Pick<Deps, 'agents'>, name: string): AgentDefinition {
  const agent = agents.get(name)
  if (agent) return agent
  throw new OffshootError(
    'usage',
    `the agent ${JSON.stringify(name.slice(0, 64))} of this branch is not defined here`,
    {
      hint: 'offshoot agents lists those that are; it worked where its file lies',
    },
  )
}
