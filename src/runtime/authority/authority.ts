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

/** What binds whoever works on a branch: the rules of its line, and the tools that all of it has. */
export interface Authority {
  readonly chain: readonly Level[]
  readonly tools: readonly AnyTool[]
  /** Directories outside of the workspace that a person has opened to it and to what it starts. */
  readonly opened: readonly Grant[]
}

/** What a spawn settles beside its agent. */
export interface OwnBounds {
  readonly rules?: readonly Rule[]
  /** Where it works, and its rules with it; null: in the directory of the conversation. */
  readonly directory?: string | null | undefined
  readonly opened?: readonly Grant[]
  /** What was delegated to it then; of that counts what is still configured. Absent: it is about to be spawned. */
  readonly delegated?: readonly Grant[]
}

export type NarrowPorts = Pick<Deps, 'tools' | 'config'>
export type RootPorts = Pick<Deps, 'rootLayers' | 'namedMode' | 'tools'>
export type AuthorityPorts = RootPorts & NarrowPorts & Pick<Deps, 'agents'>

/**
 * The authority of a branch, read from its line: the root's, narrowed by each agent that has spawned and its own
 * restrictions. A fork has that of the branch it leaves.
 * @throws OffshootError `usage` when an agent of the line is not defined any more.
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

/** What the spawn of a branch settled, as it is stored. `run`: any run of the branch. */
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

/** The agent whose run has spawned a branch: each message to a main branch may name another one. */
function spawnerOf(reader: Reader, first: StoredRun | undefined): string | undefined {
  return first?.parentRunId ? reader.get('runs', first.parentRunId)?.agent : undefined
}

/** What a main agent is bound by, in a new conversation or in a stored one. */
export function rootAuthority(deps: RootPorts, reader: Reader, id: ConversationId | undefined): Authority {
  const layers = [...deps.rootLayers, ...narrowedBy(deps, reader, id)]
  return { chain: [{ name: 'root', layers }], tools: deps.tools.list(), opened: [] }
}

/** What an agent may do that somebody of this authority has started. */
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
