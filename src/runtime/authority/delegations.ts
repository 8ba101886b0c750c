import { newRuleId } from '../log/new-id.ts'
import type { AgentDefinition, Rule } from '../../core/agent.ts'
import type { Branch } from '../../core/conversation.ts'
import type { BranchId, NewId } from '../../core/ids.ts'
import type { Grant, Level } from '../../permissions/types.ts'
import type { Reader } from '../../store/port.ts'
import type { AnyTool } from '../../tools/port.ts'
import type { Deps } from '../context/deps.ts'
import type { Change } from '../log/recorder.ts'

/** Levels of rules: the root level first, its own last. */
interface Bound {
  readonly chain: readonly Level[]
}

/**
 * What the user delegated to an agent that a run of this authority starts (docs/permissions.md#delegations). `before`:
 * the delegations at the time of the start; later ones apply to later starts.
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

/** The level of the starting agent: the only one that a delegation affects. */
function spawnerLevel({ chain }: Bound): Level | undefined {
  return chain.findLast((level) => level.agent !== undefined)
}

/**
 * The chain for the started agent: delegations to its parent are not passed on. The parent lacks `given` only because
 * of its lists, so a rule must deny everything else of these tools.
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

/** Tools that the starting agent lacks only because of its own lists, and that a delegation names. */
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

/** Stored with the branch: for people, and so that no later one widens it. */
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
