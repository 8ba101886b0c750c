import { agentMark } from '../../../client/agent-mark.ts'
import type { AgentDefinition } from '../../../core/agent.ts'
import { drawable, padToWidth, widthOf } from './text-width.ts'

const COLUMNS = 2

/**
 * What is drawn before the name of an agent: its icon in two columns, and a blank. Undefined where no agent has an icon:
 * then there is no such column.
 */
export function agentIcons(
  agents: readonly Pick<AgentDefinition, 'name' | 'icon'>[],
): ((agent: string) => string) | undefined {
  const icons = new Map(agents.flatMap(({ name, icon }) => (icon === undefined ? [] : [[name, icon]])))
  if (icons.size === 0) return undefined
  return (agent) => `${padToWidth(terminalMark(icons.get(agent)), COLUMNS)} `
}

/** The icon as terminals draw it. They do not agree how wide joined pictures are: only the first one is drawn. */
export function terminalMark(icon: string | undefined): string {
  const mark = drawable(agentMark(icon))
  return widthOf(mark) <= COLUMNS ? mark : [...mark][0]!
}
