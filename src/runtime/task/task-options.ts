import { z } from 'zod'
import { schemaChecker } from '../../agents/schema-checker.ts'
import { efforts, type Effort, type JsonSchema, type Rule } from '../../core/agent.ts'
import { isRule, readRule } from '../../core/rules/read-rule.ts'

const name = () => z.string().trim().min(1)
const names = () => z.array(name())
const MAX_CONTEXT_FILES = 50

/** The options of a spawn that the schema shows to the model. */
export const offeredOptions = () => ({
  history: z
    .enum(['fresh', 'fork'])
    .optional()
    .describe('fork: it sees all that you see up to this call; fresh, the default: the prompt alone'),
  context: z.string().optional().describe('Text that is placed after the prompt'),
  allowed_tools: names().min(1).optional().describe('The only tools it may use; this never gives it more'),
  disallowed_tools: names().optional().describe('Tools that it may not use'),
  context_files: names()
    .max(MAX_CONTEXT_FILES)
    .optional()
    .describe('Files whose text it gets at the start, if you may read them'),
  directory: name().optional().describe('Where it works, relative to where you do; default: the same place'),
  effort: z.enum(efforts).optional().describe('How much its model is to reason'),
  max_cost_usd: z.number().positive().optional().describe('US dollars that it may spend'),
  max_tokens: z.int().min(1).optional().describe('Tokens that it may use, read and written'),
  persona: name().optional().describe('An agent whose prompt alone it gets before its own'),
  output_schema: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('A JSON Schema: its report is then JSON that satisfies it'),
})

/** `{files: ['read']}`; an empty list is none too. The type has no name of its own in an older zod. */
const toolsets = (): z.ZodType<Record<string, string[]>> =>
  z.preprocess(
    (value, context) => {
      if (!Array.isArray(value)) return value
      if (value.length > 0)
        context.addIssue({
          code: 'custom',
          message: 'expected {toolset: [tool, ...]}; allowed_tools narrows what it may use',
        })
      return {}
    },
    z.record(z.string(), names()),
  )

/** All that is accepted; what does nothing yet is refused by its name, unless it asks for what happens anyway. */
export const taskOptions = () => ({
  ...offeredOptions(),
  inheritContext: z.boolean().optional(),
  fork_context: z.boolean().optional(),
  extra_context: z.string().optional(),
  permissions: z.array(z.unknown()).optional(),
  model: name().optional(),
  provider: name().optional(),
  timeout_ms: z.int().min(1).optional(),
  tools: toolsets().optional(),
  isolation: notYet('it works in the same directory as you', 'none'),
  worktree: notYet('it works in the same directory as you', false),
  backend: notYet('leave it out', 'native'),
})

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
  reasoning_effort: 'effort',
  reasoningEffort: 'effort',
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
      `it does nothing yet; ${instead}`,
    )
    .optional()
}

export type GivenOptions = z.infer<z.ZodObject<ReturnType<typeof taskOptions>>>

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
  readonly effort?: Effort | undefined
  readonly timeout_ms?: number | undefined
  readonly max_cost_usd?: number | undefined
  readonly max_tokens?: number | undefined
  /** The name of an agent. */
  readonly persona?: string | undefined
  /** From where the spawning agent works. */
  readonly directory?: string | undefined
  readonly context_files: readonly string[]
  /** Tools whose schemas stand in its first context, by toolset. */
  readonly tools: Readonly<Record<string, readonly string[]>>
  readonly restrictions: Restrictions
  /** What the report has to satisfy. */
  readonly outputSchema?: JsonSchema | undefined
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
    effort: given.effort,
    timeout_ms: given.timeout_ms,
    max_cost_usd: given.max_cost_usd,
    max_tokens: given.max_tokens,
    persona: given.persona,
    directory: given.directory,
    context_files: given.context_files ?? [],
    tools: given.tools ?? {},
    outputSchema: schemaOf(given.output_schema, complain),
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

function schemaOf(given: unknown, complain: Complain): JsonSchema | undefined {
  if (given === undefined) return undefined
  const checker = schemaChecker(given as JsonSchema)
  if (typeof checker === 'string') complain('output_schema', checker)
  return given as JsonSchema
}

/** The short form only allows, and a spawn can only narrow: its author means something else. */
function rulesOf(given: readonly unknown[], complain: Complain): Rule[] {
  return given.flatMap((each) => {
    const read = readRule(each)
    if (isRule(read) && typeof each !== 'string') return [read]
    const said = isRule(read)
      ? 'a rule here is {tool, pattern?, action}; a text restricts nothing'
      : read.problem
    complain('permissions', said)
    return []
  })
}
