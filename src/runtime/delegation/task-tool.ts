import { taskAliases } from '../../core/rules/tool-names.ts'
import { z } from 'zod'
import { agentSpelled } from '../../agents/agent-aliases.ts'
import { boundedLine } from '../../agents/bounded-text.ts'
import type { AgentDefinition } from '../../core/agent.ts'
import type { CallId } from '../../core/ids.ts'
import type { ToolOutput } from '../../core/message.ts'
import { titleLine } from '../../tools/define-tool.ts'
import type { Tool } from '../../tools/port.ts'
import { describeTask, taskInputAliases, taskInputSchema, type TaskInput } from '../task/task-input.ts'
import type { TaskTexts } from '../task/task-texts.ts'

/**
 * The `task` tool of one run: starts a subagent and waits for its report, or returns its id at once. The child's branch
 * and run are written with the intent of the call (invariant R2); `report` drives the child and returns the call's
 * answer. `agentOf` names the agent of a continued subagent; empty if there is none.
 */
export function createTaskTool(
  texts: TaskTexts,
  agents: readonly AgentDefinition[],
  report: (callId: CallId) => Promise<ToolOutput>,
  agentOf: (taskId: string) => string = () => '',
): Tool<TaskInput, ToolOutput> {
  const nameOf = (input: TaskInput) => (input.continue && agentOf(input.continue)) || input.subagent_type
  /** Rules use our agent names, so this precedes every decision. */
  const ours = (input: TaskInput): TaskInput => ({
    ...input,
    subagent_type: agentSpelled(input.subagent_type, agents)?.name ?? input.subagent_type,
  })
  return {
    name: 'task',
    toolset: 'agents',
    description: `${texts.description()}\n\nAgents for \`subagent_type\`:\n${agentLines(agents)}`,
    inputSchema: z.lazy(() => taskInputSchema.transform(ours)),
    jsonSchema: texts.jsonSchema(agents.map(({ name }) => name)),
    inputAliases: taskInputAliases,
    effects: 'spawn',
    idempotent: true, // never repeated: after a crash the call is attached to its child
    aliases: taskAliases,
    subject: (input) => [{ kind: 'name', value: nameOf(input) }],
    title: (input) => titleLine(`${nameOf(input)}: ${describeTask(input)}`),
    execute: (_input, { run }) => report(run.callId),
    toModelOutput: (output) => output,
  }
}

const MAX_AGENTS = 200
const MAX_NAME_CHARS = 128
const MAX_DESCRIPTION_CHARS = 600
/** Total length of descriptions: every request contains them. */
const MAX_ALL_CHARS = 24_000

/** Names and descriptions may come from foreign files: each agent takes one line, and the total is bounded. */
function agentLines(agents: readonly AgentDefinition[]): string {
  const shown = agents.slice(0, MAX_AGENTS)
  const each = Math.min(MAX_DESCRIPTION_CHARS, Math.floor(MAX_ALL_CHARS / Math.max(1, shown.length)))
  const lines = shown.map((agent) => agentLine(agent, each))
  if (agents.length > MAX_AGENTS) lines.push(`(and ${agents.length - MAX_AGENTS} more)`)
  return lines.join('\n')
}

function agentLine({ name, description, background }: AgentDefinition, maxChars: number): string {
  const how = background ? ' Runs in the background unless you say otherwise.' : ''
  return `- ${boundedLine(name, MAX_NAME_CHARS)}: ${boundedLine(description, maxChars)}${how}`
}
