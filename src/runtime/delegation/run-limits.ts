import type { AgentDefinition } from '../../core/agent.ts'
import { defaultLimits } from '../../core/limits.ts'
import { noSetup, type Run, type RunLimits } from '../../core/run.ts'
import { ToolError } from '../../tools/port.ts'
import type { Budget } from '../budget/budget.ts'
import type { Caps } from '../budget/spawn-caps.ts'
import { least } from '../budget/budget-share.ts'
import type { Deps } from '../context/deps.ts'
import type { TaskInput } from '../task/task-input.ts'

interface AskedLimits extends Partial<Pick<TaskInput, 'max_turns' | 'timeout_ms'>> {
  /** Limit of the spawning run; null: none. */
  readonly leftMs?: number | null
}

/** The limits of a run at its depth, without its budget. @throws ToolError if more is asked for than there is. */
export function limitsOf(
  deps: Pick<Deps, 'config'>,
  agent: AgentDefinition,
  depth: number,
  { leftMs = null, ...asked }: AskedLimits,
): RunLimits {
  const { limits } = deps.config
  refuseMore('max_turns', asked.max_turns, limits.maxTurns, 'that any run may take')
  refuseMore('timeout_ms', asked.timeout_ms, leftMs ?? Infinity, 'that the run has left itself')
  const ownMs = asked.timeout_ms ?? agent.timeoutMs ?? limits.timeoutMs
  return {
    maxTurns: asked.max_turns ?? ownTurns(deps, agent, depth),
    maxTokens: null,
    maxCostUsd: null,
    timeoutMs: leftMs === null ? ownMs : Math.max(1, least(ownMs, leftMs)!),
    stallMs: limits.stallMs,
  }
}

/** The turns of an agent unless a call says otherwise. */
export function ownTurns({ config }: Pick<Deps, 'config'>, agent: AgentDefinition, depth: number): number {
  const { maxTurns, maxTurnsSubagent } = config.limits
  const unstated = depth > 0 ? maxTurnsSubagent : maxTurns
  return Math.min(config.agents[agent.name]?.maxTurns ?? agent.maxTurns ?? unstated, maxTurns)
}

/** Limits of the next run on the branch: turns that a continue added belonged to the continued run. */
export function freshLimits(
  deps: Pick<Deps, 'config'>,
  budget: Budget,
  row: Pick<Run, 'limits' | 'depth' | 'setup' | 'parentRunId'>,
  agent: AgentDefinition,
): RunLimits {
  const { growsTo: _1, asked: _2, ...limits } = row.limits
  const maxTurns = Math.min(limits.maxTurns, ownTurns(deps, agent, row.depth))
  return { ...limits, maxTurns, ...freshCaps(budget, row, agent) }
}

/**
 * The initial caps of a run of this branch: from its spawn, else its definition, else a share; never more than is free.
 * A main agent has no cap of its own and draws on what is unreserved.
 */
export function freshCaps(
  budget: Budget,
  { setup, depth, parentRunId }: Pick<Run, 'depth' | 'setup' | 'parentRunId'>,
  agent: AgentDefinition,
): Caps {
  const { maxCostUsd, maxTokens } = setup ?? noSetup
  const asked = { usd: maxCostUsd ?? undefined, tokens: maxTokens ?? undefined }
  const caps = budget.share(parentRunId, { asked, defined: agent.maxCostUsd })
  if (depth > 0) return caps
  return {
    maxCostUsd: (asked.usd ?? agent.maxCostUsd) === undefined ? null : caps.maxCostUsd,
    maxTokens: asked.tokens === undefined ? null : caps.maxTokens,
  }
}

/**
 * The offline searcher is free, ends by itself, and accepts prompts of any size: the default limit of tokens does not
 * bind it, only one that somebody has set.
 */
export function isUnboundOffline(
  { config }: Pick<Deps, 'config'>,
  { model, setup }: Pick<Run, 'model' | 'setup'>,
): boolean {
  const isDefault = config.limits.maxTokens === defaultLimits.maxTokens
  return model === 'offline' && isDefault && (setup?.maxTokens ?? null) === null
}

function refuseMore(field: string, asked: number | undefined, most: number, whose: string): void {
  if (asked !== undefined && asked > most)
    throw new ToolError('limit', `${field} ${asked} is more than the ${most} ${whose}`)
}
