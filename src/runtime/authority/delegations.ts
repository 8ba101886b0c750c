import { newRuleId } from '../log/new-id.ts'
import type { AgentDefinition, Rule } from '../../core/agent.ts'
import type { Branch } from '../../core/conversation.ts'
import type { BranchId, NewId } from '../../core/ids.ts'
import type { Grant, Level } from '../../permissions/types.ts'
import type { Reader } from '../../store/port.ts'
import type { AnyTool } from '../../tools/port.ts'
import type { Deps } from '../context/deps.ts'
import type { Change } from '../log/recorder.ts'

/** Whoever is bound by rules: the root level first, its own last. */
interface Bound {
  readonly chain: readonly Level[]
}

/**
 * What the user has delegated to an agent that a run of this authority starts (docs/permissions.md#delegations).
 * `before`: the delegations at the time of the start; later ones apply to agents that start later.
 */
export function delegationsTo(
  { config }: Pick<Deps, 'config'>,
  above: Bound,
  agent: Pick<AgentDefinition, 'name'>,
  before?: readonly Grant[],
): readonly Grant[] {
  const spawner = spawnerLevel(above)?.agent
  const now = config.delegations
    .filter((each) => each.agent === agent.name && each.for === spawner?.name)
    .map(({ tool, pattern }): Grant => ({ tool, ...(pattern === undefined ? {} : { pattern }) }))
  return before ? now.filter((each) => before.some((other) => isSame(each, other))) : now
}

function isSame(a: Grant, b: Grant): boolean {
  return a.tool === b.tool && a.pattern === b.pattern
}

/** The level of the agent that starts the other one: the only one that a delegation reaches. */
function spawnerLevel({ chain }: Bound): Level | undefined {
  return chain.findLast((level) => level.agent !== undefined)
}

/**
 * The chain as it binds the agent that is started: what was delegated to its parent is not handed down. The parent goes
 * without `given` by its lists alone, so that the rules have to say that all else of these tools is denied.
 */
export function chainWith(above: Bound, lifted: readonly Grant[], given: readonly AnyTool[]): Level[] {
  const spawner = spawnerLevel(above)
  return above.chain.map((level) => {
    const { lifted: _, ...own } = level
    if (level !== spawner || lifted.length === 0) return own
    const rules = given.map(({ name }): Rule => ({ tool: name, action: 'deny' }))
    const layers = [...own.layers, ...(rules.length > 0 ? [{ name: `tools of ${own.name}`, rules }] : [])]
    return { ...own, layers, lifted }
  })
}

/** Tools that the agent which starts it goes without by its own lists alone, and that a delegation names. */
export function delegatedTools(
  { tools }: Pick<Deps, 'tools'>,
  above: Bound,
  lifted: readonly Grant[],
): AnyTool[] {
  return (spawnerLevel(above)?.agent?.withheld ?? []).flatMap((name) => {
    const tool = tools.get(name)
    const isNamed = tool && lifted.some((each) => each.tool === tool.name || each.tool === tool.toolset)
    return isNamed ? [tool] : []
  })
}

/** They are kept with the branch: for people, and so that none that comes later widens it. */
export function storeDelegations(
  change: Change,
  newId: NewId,
  { id: branchId, conversationId }: Branch,
  delegated: readonly Grant[],
): void {
  for (const { tool, pattern = null } of delegated) {
    const rule = { kind: 'delegation', tool, pattern, action: 'allow' } as const
    change.tx.insert('rules', {
      id: newRuleId(newId),
      conversationId,
      branchId,
      ...rule,
      createdAt: change.at,
      directory: null,
    })
  }
}

/** What was delegated to the agent of a branch when it was started. */
export function readDelegations(reader: Reader, branchId: BranchId): Grant[] {
  return reader
    .find('rules', { where: { branchId, kind: 'delegation' }, orderBy: 'id' })
    .map(({ tool, pattern }) => ({ tool, ...(pattern === null ? {} : { pattern }) }))
}
