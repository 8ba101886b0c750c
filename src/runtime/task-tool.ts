import { readFileSync } from 'node:fs'
import type { AgentDefinition } from '../core/agent.ts'
import type { CallId } from '../core/ids.ts'
import type { ToolOutput } from '../core/message.ts'
import { titleLine } from '../tools/define-tool.ts'
import type { Tool } from '../tools/port.ts'
import {
  describeTask,
  taskAliases,
  taskInputAliases,
  taskInputSchema,
  taskJsonSchema,
  type TaskInput,
} from './task-input.ts'

const TEXT = new URL('task.txt', import.meta.url)

/**
 * The `task` tool of one run: it starts a subagent and waits for its report, or returns its id at once. Branch and run of
 * the child are written with the intent of the call (R2); `report` drives it, and says what the call is answered.
 * `agentOf` names the agent of a subagent that is to go on; empty where there is none.
 */
export function createTaskTool(
  agents: readonly AgentDefinition[],
  report: (callId: CallId) => Promise<ToolOutput>,
  agentOf: (taskId: string) => string = () => '',
): Tool<TaskInput, ToolOutput> {
  const known = agents.map(agentLine).join('\n')
  const nameOf = (input: TaskInput) => (input.continue && agentOf(input.continue)) || input.subagent_type
  return {
    name: 'task',
    toolset: 'agents',
    description: `${readFileSync(TEXT, 'utf8').trim()}\n\nAgents for \`subagent_type\`:\n${known}`,
    inputSchema: taskInputSchema,
    jsonSchema: taskJsonSchema(agents.map(({ name }) => name)),
    inputAliases: taskInputAliases,
    effects: 'spawn',
    idempotent: true, // never run again: after a crash the call is attached to its child
    aliases: taskAliases,
    subject: (input) => [{ kind: 'name', value: nameOf(input) }],
    title: (input) => titleLine(`${nameOf(input)}: ${describeTask(input)}`),
    execute: (_input, { run }) => report(run.callId),
    toModelOutput: (output) => output,
  }
}

function agentLine({ name, description, background }: AgentDefinition): string {
  const how = background ? ' Runs in the background unless you say otherwise.' : ''
  return `- ${name}: ${description}${how}`
}
