import type { AgentDefinition } from '../core/agent.ts'

/** Why `firstTurnReminder` has no effect for an agent; undefined: it has, or is not set. */
export function reminderProblem({
  name,
  firstTurnReminder,
  maxTurns,
  tools,
}: Pick<AgentDefinition, 'name' | 'firstTurnReminder' | 'maxTurns' | 'tools'>): string | undefined {
  if (firstTurnReminder === undefined) return undefined
  if (name === 'main') return 'it has no effect here: only subagents are reminded; remove it'
  if (!firstTurnReminder) return undefined
  if (maxTurns === 1) return 'it has no effect with maxTurns 1: there is no second turn; remove one of them'
  if (tools?.length === 0) return 'it has no effect without tools: write false or remove it'
  return undefined
}
