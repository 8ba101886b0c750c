import { z } from 'zod'
import type { Rule } from '../core/agent.ts'
import { errorMessage } from '../core/errors.ts'
import { parseRule } from '../permissions/rule.ts'

const names = z.array(z.string().trim().min(1))

/** The options of a spawn that the model is told of (tools.md §3). */
export const offeredOptions = {
  history: z
    .enum(['fresh', 'fork'])
    .optional()
    .describe('fork: it sees all that you see up to this call; fresh, the default: the prompt alone'),
  context: z.string().optional().describe('Text that is placed after the prompt'),
  allowed_tools: names.min(1).optional().describe('The only tools it may use; this never gives it more'),
  disallowed_tools: names.optional().describe('Tools that it may not use'),
}

/** All that is accepted; what is not available yet is refused by its name, unless it asks for what happens anyway. */
export const taskOptions = {
  ...offeredOptions,
  inheritContext: z.boolean().optional(),
  fork_context: z.boolean().optional(),
  extra_context: z.string().optional(),
  permissions: z.array(z.unknown()).optional(),
  model: z.string().trim().min(1).optional(),
  provider: z.string().trim().min(1).optional(),
  timeout_ms: z.int().min(1).optional(),
  persona: notYet('put into the prompt how it is to work'),
  context_files: notYet('name the files in the prompt, and it reads them', []),
  tools: notYet('a subagent has the tools of its agent; allowed_tools narrows them', [], {}),
  effort: notYet('leave it out'),
  max_cost_usd: notYet('max_turns and timeout_ms limit it'),
  max_tokens: notYet('max_turns and timeout_ms limit it'),
  isolation: notYet('it works in the same directory as you', 'none'),
  worktree: notYet('it works in the same directory as you', false),
  directory: notYet('it works in the same directory as you', '.'),
  backend: notYet('leave it out', 'native'),
  output_schema: notYet('say in the prompt what the report must hold'),
}

/** Spellings of other systems, by ours. */
export const optionAliases: Readonly<Record<string, string>> = {
  inherit_context: 'inheritContext',
  forkContext: 'fork_context',
  extraContext: 'extra_context',
  allowedTools: 'allowed_tools',
  disallowedTools: 'disallowed_tools',
  timeoutMs: 'timeout_ms',
  contextFiles: 'context_files',
  toolset: 'tools',
  maxCostUsd: 'max_cost_usd',
  maxTokens: 'max_tokens',
  cwd: 'directory',
  cli: 'backend',
  outputSchema: 'output_schema',
}

function notYet(instead: string, ...same: readonly unknown[]) {
  const asItIs = same.map((value) => JSON.stringify(value))
  return z
    .unknown()
    .refine(
      (value) => value === undefined || asItIs.includes(JSON.stringify(value)),
      `not available yet; ${instead}`,
    )
    .optional()
}

export type GivenOptions = z.infer<z.ZodObject<typeof taskOptions>>

/** How one spawn is narrower than its agent. Tools are named as in agents' files: `bash`, `files`, `Bash(git *)`. */
export interface Restrictions {
  readonly permissions: readonly Rule[]
  /** Absent: all that the agent has. */
  readonly allowedTools?: readonly string[] | undefined
  readonly disallowedTools: readonly string[]
}

/** The options as a spawn takes them. */
export interface TaskOptions {
  readonly history: 'fresh' | 'fork'
  /** Text for the subagent beside its task. */
  readonly context?: string | undefined
  readonly model?: string | undefined
  readonly timeout_ms?: number | undefined
  readonly restrictions: Restrictions
}

const FORK = { true: 'fork', false: 'fresh' } as const

type Complain = (field: string, message: string) => void

/** Makes one option of its spellings. What contradicts itself is complained of, with the names of both. */
export function readOptions(given: GivenOptions, complain: Complain): TaskOptions {
  const asHistory = (fork: boolean | undefined) => (fork === undefined ? undefined : FORK[`${fork}`])
  const word = given.context === 'fork' || given.context === 'fresh' ? given.context : undefined
  const history = oneOf<TaskOptions['history']>(complain, {
    history: given.history,
    inheritContext: asHistory(given.inheritContext),
    fork_context: asHistory(given.fork_context),
    context: word,
  })
  const context = oneOf(complain, {
    context: word ? undefined : given.context,
    extra_context: given.extra_context,
  })
  return {
    history: history ?? 'fresh',
    context,
    model: modelOf(given, complain),
    timeout_ms: given.timeout_ms,
    restrictions: {
      permissions: rulesOf(given.permissions ?? [], complain),
      allowedTools: given.allowed_tools,
      disallowedTools: given.disallowed_tools ?? [],
    },
  }
}

function oneOf<T>(complain: Complain, spellings: Readonly<Record<string, T | undefined>>): T | undefined {
  const given = Object.entries(spellings).filter(([, value]) => value !== undefined)
  const [first, ...others] = given
  const other = others.find(([, value]) => value !== first![1])
  if (other)
    complain(other[0], `"${first![0]}" and "${other[0]}" say the same thing, and differ; send only one`)
  return first?.[1]
}

/** `provider` and `model` beside it are one id. */
function modelOf({ provider, model }: GivenOptions, complain: Complain): string | undefined {
  if (provider === undefined) return model
  if (model === undefined) complain('provider', 'a provider alone is not enough; send "model" too')
  return model?.startsWith(`${provider}/`) ? model : `${provider}/${model}`
}

function rulesOf(given: readonly unknown[], complain: Complain): Rule[] {
  return given.flatMap((each) => {
    try {
      return [parseRule(each)]
    } catch (error) {
      complain('permissions', errorMessage(error))
      return []
    }
  })
}
