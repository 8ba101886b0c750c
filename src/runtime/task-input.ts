import { z } from 'zod'

/** Other names of the `task` tool. */
export const taskAliases = ['Task', 'Agent', 'subagent', 'spawn_subagent'] as const

const taskNames = new Set(['task', 'agents', ...taskAliases].map(plain))

/** Whether a name of an agent's tool list, or of a call, means `task` or its toolset. */
export function isTaskName(name: string): boolean {
  return taskNames.has(plain(name))
}

function plain(name: string): string {
  return name.trim().toLowerCase().replace(/[_-]/g, '')
}

/** Spellings of other systems, by ours (tools.md §3). */
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
}

const offered = {
  prompt: z.string().trim().min(1).describe('What the subagent has to do, with all that it needs to know'),
  description: z.string().trim().min(1).optional().describe('3 to 5 words for people'),
  max_turns: z.int().min(1).optional().describe('How many turns it may take'),
}

/** What is accepted. An input that asks for something else is refused by its name, never ignored. */
export const taskInputSchema = z.strictObject({
  ...offered,
  subagent_type: z.string().trim().min(1).default('general'),
  run_in_background: z.literal(false).optional(),
})

export type TaskInput = z.infer<typeof taskInputSchema>

/** What the model is told: the same, with the agents that it may start. */
export function taskJsonSchema(agents: readonly string[]): object {
  const subagent_type = z
    .enum(agents as [string, ...string[]])
    .describe('Which agent does it; general if absent')
  return z.toJSONSchema(z.object({ ...offered, subagent_type: subagent_type.optional() }), {
    target: 'draft-07',
    io: 'input',
  })
}

/** What people see when the model gave no description: the first words of the task. */
export function describeTask({ description, prompt }: TaskInput): string {
  if (description) return description.slice(0, 80)
  const words = prompt.split(/\s+/, 6).slice(0, 5).join(' ')
  return words.length > 60 ? `${words.slice(0, 59)}…` : words
}
