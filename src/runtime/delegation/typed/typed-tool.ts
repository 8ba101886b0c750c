import { z } from 'zod'
import { schemaChecker, type SchemaChecker, type SchemaIssue } from '../../../agents/schema-checker.ts'
import { typedMessage, type TypedInput } from '../../../agents/prompt-template.ts'
import type { AgentDefinition } from '../../../core/agent.ts'
import type { CallId } from '../../../core/ids.ts'
import type { ToolOutput } from '../../../core/message.ts'
import { titleLine } from '../../../tools/define-tool.ts'
import type { Tool } from '../../../tools/port.ts'
import { describeTask, taskInputSchema, type TaskInput } from '../../task/task-input.ts'

/**
 * The turns of a typed call: the tool's, unless the configuration overrides the agent's, and never beyond the limit.
 */
export interface TurnLimits {
  readonly agents: Readonly<Record<string, { readonly maxTurns?: number | undefined }>>
  readonly limits: { readonly maxTurns: number }
}

/**
 * An agent as a tool: a foreground `task` call under another name, whose prompt is created from a typed input. `report`
 * drives the subagent and returns the answer of the call.
 */
export function createTypedTool(
  name: string,
  agent: AgentDefinition,
  config: TurnLimits,
  report: (callId: CallId) => Promise<ToolOutput>,
): Tool<TaskInput, ToolOutput> {
  return {
    name,
    toolset: 'agents',
    description: agent.exposeAsTool?.description ?? agent.description,
    inputSchema: inputSchemaOf(agent, turnsOf(agent, config)),
    jsonSchema: agent.inputSchema!,
    effects: 'spawn',
    idempotent: true, // never repeated: after a crash the call is attached to its child
    subject: () => [{ kind: 'name', value: agent.name }],
    title: (input) => titleLine(`${name}: ${describeTask(input)}`),
    detail: (input) => input.prompt,
    execute: (_input, { run }) => report(run.callId),
    toModelOutput: (output) => output,
  }
}

function turnsOf(
  { name, exposeAsTool }: AgentDefinition,
  { agents, limits }: TurnLimits,
): number | undefined {
  const turns = agents[name]?.maxTurns ?? exposeAsTool?.maxTurns
  return turns === undefined ? undefined : Math.min(turns, limits.maxTurns)
}

/** Checked with the agent's own schema, then converted to the `task` call that it represents. */
function inputSchemaOf(agent: AgentDefinition, max_turns: number | undefined): z.ZodType<TaskInput> {
  let checker: SchemaChecker | string | undefined
  return z.looseObject({}).transform((input, context): TaskInput => {
    checker ??= schemaChecker(agent.inputSchema!)
    const issues = typeof checker === 'string' ? checker : checker(input)
    if (typeof issues === 'string')
      context.addIssue({
        code: 'custom',
        message: `the inputSchema of ${agent.name} cannot be used: ${issues}`,
      })
    else for (const issue of issues) context.issues.push(rawIssue(issue, input))
    if (issues.length > 0) return z.NEVER
    const typed = input as TypedInput
    return taskInputSchema.parse({
      prompt: typedMessage(agent, typed).trim() || 'Begin.',
      description: firstText(typed),
      subagent_type: agent.name,
      run_in_background: false,
      ...(max_turns === undefined ? {} : { max_turns }),
    })
  })
}

/** As zod issues, so that fixable input is fixed and other problems are explained. */
function rawIssue({ path, message, expected, values }: SchemaIssue, input: unknown): z.core.$ZodRawIssue {
  if (values) return { code: 'invalid_value', path: [...path], message, input, values: values as string[] }
  if (expected === undefined) return { code: 'custom', path: [...path], message, input }
  const type = expected === 'integer' ? 'int' : expected
  return { code: 'invalid_type', path: [...path], message, input, expected: type as 'string' }
}

/** Label for people: the first words of its first text. */
function firstText(input: TypedInput): string | undefined {
  const text = Object.values(input).find((value) => typeof value === 'string' && value.trim() !== '')
  return typeof text === 'string' ? describeTask({ prompt: text.trim() }) : undefined
}
