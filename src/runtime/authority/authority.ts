import { agentLevel } from '../../permissions/agent-level.ts'
import type { AgentDefinition, Rule } from '../../core/agent.ts'
import type { Branch } from '../../core/conversation.ts'
import { OffshootError } from '../../core/errors.ts'
import type { BranchId, ConversationId } from '../../core/ids.ts'
import type { StoredRun } from '../../core/run.ts'
import type { Grant, Level } from '../../permissions/types.ts'
import type { Reader } from '../../store/port.ts'
import type { AnyTool } from '../../tools/port.ts'
import { chainWith, delegatedTools, delegationsTo, readDelegations } from './delegations.ts'
import type { Deps } from '../context/deps.ts'
import { narrowedBy } from './mode.ts'
import { allowedTools, readDirectoryGrants, readRestrictions, restrictionLevels } from './restrictions.ts'

/** What binds the agents of a branch: the rules of its line, and the tools that the whole line has. */
export interface Authority {
  readonly chain: readonly Level[]
  readonly tools: readonly AnyTool[]
  /** Directories outside the workspace that a person allowed for it and for what it starts. */
  readonly opened: readonly Grant[]
}

/** Decisions of a spawn besides its agent. */
export interface OwnBounds {
  readonly rules?: readonly Rule[]
  /** Its directory and the rules for it; null: the directory of the conversation. */
  readonly directory?: string | null | undefined
  readonly opened?: readonly Grant[]
  /** Delegations at that time; only those still configured count. Absent: about to be spawned. */
  readonly delegated?: readonly Grant[]
}

export type NarrowPorts = Pick<Deps, 'tools' | 'config'>
export type RootPorts = Pick<Deps, 'rootLayers' | 'namedMode' | 'tools'>
export type AuthorityPorts = RootPorts & NarrowPorts & Pick<Deps, 'agents'>

/**
 * The authority of a branch, computed along its line: the root's, restricted by each spawning agent and its own
 * restrictions. A fork has that of its origin branch. @throws OffshootError `usage` if an agent of the line is no
 * longer defined.
 */
export function authorityOf(deps: AuthorityPorts, reader: Reader, branch: Branch): Authority {
  const steps: { readonly agent: string; readonly bounds: OwnBounds }[] = []
  let agent = branch.agent
  for (const each of lineOf(reader, branch)) {
    if (each.kind === 'fork') continue
    const first = firstRun(reader, each)
    steps.unshift({ agent, bounds: boundsOf(reader, each.id, first) })
    agent = spawnerOf(reader, first) ?? branchAbove(reader, each)?.agent ?? agent
  }
  return steps.reduce(
    (above, step) => narrow(deps, above, agentOf(deps, step.agent), step.bounds),
    rootAuthority(deps, reader, branch.conversationId),
  )
}

/** The stored decisions of a branch's spawn. `run`: any run of the branch. */
export function boundsOf(
  reader: Reader,
  branchId: BranchId,
  run: Pick<StoredRun, 'setup'> | undefined,
): Required<OwnBounds> {
  const rules = readRestrictions(reader, branchId)
  const opened = readDirectoryGrants(reader, branchId)
  const delegated = readDelegations(reader, branchId)
  return { rules, directory: run?.setup?.directory, opened, delegated }
}

function firstRun(reader: Reader, { id }: Branch): StoredRun | undefined {
  return reader.find('runs', { where: { branchId: id }, orderBy: 'id', limit: 1 })[0]
}

/** The agent whose run spawned a branch: each message to a main branch may name another one. */
function spawnerOf(reader: Reader, first: StoredRun | undefined): string | undefined {
  return first?.parentRunId ? reader.get('runs', first.parentRunId)?.agent : undefined
}

/** What binds a main agent, in a new or stored conversation. */
export function rootAuthority(deps: RootPorts, reader: Reader, id: ConversationId | undefined): Authority {
  const layers = [...deps.rootLayers, ...narrowedBy(deps, reader, id)]
  return { chain: [{ name: 'root', layers }], tools: deps.tools.list(), opened: [] }
}

/** What an agent may do as the main agent, in a new or stored conversation. */
export function mainAuthority(
  deps: AuthorityPorts & Pick<Deps, 'store'>,
  id: ConversationId | undefined,
  agent: AgentDefinition,
): Authority {
  return narrow(deps, rootAuthority(deps, deps.store, id), agent)
}

/** What an agent may do if a run of this authority starts it. */
export function narrow(
  deps: NarrowPorts,
  above: Authority,
  agent: AgentDefinition,
  { rules = [], directory, opened = [], delegated }: OwnBounds = {},
): Authority {
  const own = new Set(deps.tools.forAgent(agent.tools, agent.disallowedTools).list())
  const lifted = delegationsTo(deps, above, agent, delegated)
  const given = delegatedTools(deps, above, lifted)
  const tools = allowedTools([...above.tools, ...given], rules)
  const withheld = tools.filter((tool) => !own.has(tool))
  const levels = [
    agentLevel(
      agent,
      withheld.map(({ name }) => name),
    ),
    ...restrictionLevels(rules),
  ]
  return {
    chain: [
      ...chainWith(above, lifted, given),
      ...levels.map((level) => (directory ? { ...level, directory } : level)),
    ],
    opened: [...above.opened, ...opened],
    tools: tools.filter((tool) => own.has(tool)),
  }
}

/** The branch, its parent, and so on up to the main branch. */
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

/** @throws OffshootError `usage`: an agent that worked on a branch is no longer defined. */
export function agentOf({ agents }: Pick<Deps, 'agents'>, name: string): AgentDefinition {
  const agent = agents.get(name)
  if (agent) return agent
  throw new OffshootError(
    'usage',
    `the agent ${JSON.stringify(name.slice(0, 64))} of this branch is not defined here`,
    {
      hint: 'offshoot agents lists the agents defined here; run it in the directory that has its file',
    },
  )
}
