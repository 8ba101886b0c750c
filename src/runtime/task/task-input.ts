import { z } from 'zod'
import type { AgentDefinition } from '../../core/agent.ts'
import { cutText } from '../../core/cut-text.ts'
import type { Said } from '../../core/message.ts'
import { once } from '../../core/once.ts'
import { controlAliases, plainName as plain, taskAliases } from '../../core/rules/tool-names.ts'
import { preparedSchemas } from '../../tools/prepared-schemas.ts'
import { offeredOptions, optionAliases, readOptions, taskOptions, type TaskOptions } from './task-options.ts'

const taskNames = new Set(['task', 'agents', ...taskAliases].map(plain))

/** Whether a name in a tool list or a call means `task` or its toolset. */
export function isTaskName(name: string): boolean {
  return taskNames.has(plain(name))
}

export type ControlName = keyof typeof controlAliases

const controlNames = new Map(
  Object.entries(controlAliases).flatMap(([name, aliases]) =>
    [name, ...aliases].map((each) => [plain(each), name as ControlName] as const),
  ),
)

export function isControlName(name: string): boolean {
  return controlNames.has(plain(name))
}

/** Tools offered together with `task`, unless the agent's definition disallows them. */
export function controlsOf({ disallowedTools = [] }: AgentDefinition): ControlName[] {
  const unwanted = new Set(disallowedTools.map((name) => controlNames.get(plain(name))))
  return (Object.keys(controlAliases) as ControlName[]).filter((name) => !unwanted.has(name))
}

/** Field names of other systems. */
export const taskInputAliases: Readonly<Record<string, string>> = {
  task: 'prompt',
  message: 'prompt',
  label: 'description',
  agent: 'subagent_type',
  agent_type: 'subagent_type',
  background: 'run_in_background',
  async: 'run_in_background',
  maxTurns: 'max_turns',
  maxIterations: 'max_turns',
  task_id: 'continue',
  taskId: 'continue',
  continueBranchId: 'continue',
  continue_branch_id: 'continue',
  resume: 'continue',
  ...optionAliases,
}

const offered = () => ({
  prompt: z.string().trim().min(1).describe('What the subagent has to do, with everything it needs to know'),
  description: z.string().trim().min(1).optional().describe('3 to 5 words for people'),
  max_turns: z.int().min(1).optional().describe('How many turns it may take'),
})

const goOn = () =>
  z
    .string()
    .trim()
    .min(1)
    .optional()
    .describe('The task_id of a stopped subagent of yours: it continues with everything it knows')

const inBackground = () =>
  z.boolean().optional().describe('true: returns the id at once, and the report comes by itself when it ends')

/** Accepted input. Unsupported fields are refused by name, never ignored. */
export const taskInputSchema = z.lazy(() =>
  z
    .strictObject({
      ...offered(),
      prompt: offered().prompt.optional(),
      continue: goOn(),
      subagent_type: z.string().trim().min(1).default('general'),
      run_in_background: inBackground(),
      ...taskOptions(),
    })
    .transform((given, context): TaskInput => {
      const { description, max_turns, subagent_type, run_in_background } = given
      const complain = (field: string, message: string) =>
        context.addIssue({ code: 'custom', path: [field], message })
      const options = readOptions(given, complain)
      if (given.continue === undefined && given.prompt === undefined)
        complain('prompt', 'expected string; say what the subagent has to do')
      if (given.continue !== undefined)
        for (const field of KEPT)
          if (given[field] !== undefined) complain(field, 'a continued subagent keeps its own; leave it out')
      const prompt = given.prompt ?? CONTINUE
      return {
        continue: given.continue,
        prompt,
        description,
        max_turns,
        subagent_type,
        run_in_background,
        ...options,
      }
    }),
)

/** Default instruction of a resumed run. */
export const CONTINUE = 'Continue your previous work.'
export const TOLD_TO_GO_ON = { text: CONTINUE, author: 'runtime' } as const satisfies Said

/** Settings of a subagent from its spawn. */
const KEPT = [
  'history',
  'inheritContext',
  'fork_context',
  'model',
  'provider',
  'timeout_ms',
  'allowed_tools',
  'disallowed_tools',
  'permissions',
  'context_files',
  'directory',
  'effort',
  'persona',
  'tools',
  'output_schema',
] as const

export interface TaskInput extends TaskOptions {
  /** The subagent to continue instead of starting a new one. */
  readonly continue?: string | undefined
  readonly prompt: string
  readonly description?: string | undefined
  readonly subagent_type: string
  readonly run_in_background?: boolean | undefined
  readonly max_turns?: number | undefined
}

/** The schema for the model, with the agents that it may start. */
export function taskJsonSchema(agents: readonly string[]): object {
  const { properties, ...rest } = (preparedSchemas['task']?.() ?? modelSchema()) as ObjectSchema
  const subagent_type = { ...properties['subagent_type'], enum: agents }
  return { ...rest, properties: { ...properties, subagent_type } } // in this position: models read it early
}

interface ObjectSchema {
  readonly properties: Readonly<Record<string, object>>
}

const modelSchema = once((): object => {
  const shown = z.object({
    ...offered(),
    subagent_type: z.string().optional().describe('Which agent does it; general if absent'),
    run_in_background: inBackground(),
    continue: goOn(),
    ...offeredOptions(),
  })
  return z.toJSONSchema(shown, { target: 'draft-07', io: 'input' })
})

/** Label for people if the model gave no description: the first words of the task. */
export function describeTask({ description, prompt }: Pick<TaskInput, 'description' | 'prompt'>): string {
  if (description) return cutText(description, 80)
  const words = prompt.split(/\s+/, 6).slice(0, 5).join(' ')
  return cutText(words, 60)
}
