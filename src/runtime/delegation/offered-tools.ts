import type { AnyTool } from '../../tools/port.ts'
import { createRegistry } from '../../tools/registry.ts'
import type { LiveRun } from '../run/live-run.ts'

/**
 * The tools of a run that its model sees: a subagent works without questions, unless its own `tools` include one that
 * asks a person. Subagents that it starts may still have that tool.
 */
export function offeredTools({
  agent,
  row,
  tools,
}: Pick<LiveRun, 'agent' | 'row' | 'tools'>): readonly AnyTool[] {
  if (row.depth === 0) return tools
  const named = agent.tools?.filter((name) => name.trim() !== '*') ?? []
  return tools.filter((tool) => !tool.asksPerson || createRegistry([tool]).forAgent(named).list().length > 0)
}
