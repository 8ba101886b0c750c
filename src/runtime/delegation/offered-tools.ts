import type { AnyTool } from '../../tools/port.ts'
import { createRegistry } from '../../tools/registry.ts'
import type { LiveRun } from '../run/live-run.ts'

/**
 * Of the tools that a run may use those that its model is told of: a subagent works without questions, unless its own
 * `tools` name what asks a person. What it starts can have that all the same.
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
