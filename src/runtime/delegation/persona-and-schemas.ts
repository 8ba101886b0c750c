import type { Persona } from '../../agents/system-prompt.ts'
import type { AgentDefinition } from '../../core/agent.ts'
import type { StoredRun } from '../../core/run.ts'
import { ToolError, type AnyTool } from '../../tools/port.ts'
import { toolSchema, type ToolDescription } from '../../tools/tool-schema.ts'
import type { Deps } from '../context/deps.ts'
import { isControlName, isTaskName } from '../task/task-input.ts'
import type { TaskOptions } from '../task/task-options.ts'

/** The source of a persona: an agent, with the persona that it received itself. */
export type Above = Pick<StoredRun, 'agent' | 'setup'>

/**
 * The prompt before the role: of the requested agent, and for `general` that of its starter. @throws ToolError for an
 * unknown agent.
 */
export function personaOf(
  { agents }: Pick<Deps, 'agents'>,
  agent: AgentDefinition,
  asked: string | undefined,
  above: Above,
): Persona | undefined {
  if (asked !== undefined) {
    const found = agents.get(asked)
    if (found) return { agent: found.name, prompt: found.prompt, inherited: false }
    const known = agents.list().map(({ name }) => name)
    const shown = JSON.stringify(asked.slice(0, 100))
    throw new ToolError(
      'unknown_agent',
      `there is no agent ${shown} to take the persona from; the agents are: ${known.join(', ')}`,
    )
  }
  const inherited = agent.name === 'general' && agents.get(above.setup?.persona ?? above.agent)
  return inherited ? { agent: inherited.name, prompt: inherited.prompt, inherited: true } : undefined
}

/**
 * The schemas to pass on at the start, in the order of the call. @throws ToolError with a tool that the spawning agent
 * or the subagent lacks.
 */
export function schemasOf(
  { tools }: Pick<Deps, 'tools'>,
  asked: TaskOptions['tools'],
  parent: Pick<Holder, 'tools'>,
  child: Holder,
): ToolDescription[] {
  return Object.entries(asked).flatMap(([toolset, names]) =>
    names.map((name) => {
      if (isTaskName(name) || isControlName(name))
        throw lacks(
          `${name} needs no schema: every agent that may start subagents has it; leave it out of \`tools\``,
        )
      const tool = tools.get(name)
      if (!tool || !parent.tools.includes(tool)) throw lacks(`you have no tool ${shown(name)} to hand over`)
      if (tool.toolset !== toolset)
        throw lacks(`${tool.name} is in ${tool.toolset}, not in ${shown(toolset)}`)
      if (!child.tools.includes(tool))
        throw lacks(`${child.name} has no tool ${tool.name}; leave it out of \`tools\``)
      return toolSchema(tool)
    }),
  )
}

interface Holder {
  readonly name: string
  readonly tools: readonly AnyTool[]
}

function lacks(message: string): ToolError {
  return new ToolError('unknown_tool', message)
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 100))
}
