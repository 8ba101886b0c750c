import { z } from 'zod'
import { schemaChecker } from '../../agents/schema-checker.ts'
import { efforts, type Effort, type JsonSchema, type Rule } from '../../core/agent.ts'
import { isRule, readRule } from '../../core/rules/read-rule.ts'

const name = () => z.string().trim().min(1)
const names = () => z.array(name())
const MAX_CONTEXT_FILES = 50

/** Spawn options that the schema shows to the model. */
export const offeredOptions = () => ({
  history: z
    .enum(['fresh', 'fork'])
    .optional()
    .describe('fork: it sees everything that you see up to this call; fresh (default): only the prompt'),
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
  persona: name().optional().describe('An agent whose prompt is placed before its own'),
  output_schema: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('A JSON Schema: its report is then JSON that satisfies it'),
})

/** `{files: ['read']}`; an empty list counts as none. Older versions of zod have no name for the type. */
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

/** All accepted options; one without an effect yet is refused by name, unless it asks for the existing behaviour. */
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
  isolation: notYet('it shares your directory', 'none'),
  worktree: notYet('it shares your directory', false),
  backend: notYet('leave it out', 'native'),
})

/** Field names of other systems. */
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
      `it has no effect; ${instead}`,
    )
    .optional()
}

export type GivenOptions = z.infer<z.ZodObject<ReturnType<typeof taskOptions>>>

/** How one spawn restricts its agent. Tools are named as in agent files: `bash`, `files`, `Bash(git *)`. */
export interface Restrictions {
  readonly permissions: readonly Rule[]
  /** Absent: all tools of the agent. */
  readonly allowedTools?: readonly string[] | undefined
  readonly disallowedTools: readonly string[]
}

/** The options in the form that a spawn takes. */
export interface TaskOptions {
  readonly history: 'fresh' | 'fork'
  /** Text for the subagent besides its task. */
  readonly context?: string | undefined
  readonly model?: string | undefined
  readonly effort?: Effort | undefined
  readonly timeout_ms?: number | undefined
  readonly max_cost_usd?: number | undefined
  readonly max_tokens?: number | undefined
  /** The name of an agent. */
  readonly persona?: string | undefined
  /** Relative to the directory of the spawning agent. */
  readonly directory?: string | undefined
  readonly context_files: readonly string[]
  /** Tools whose schemas go into its first context, by toolset. */
  readonly tools: Readonly<Record<string, readonly string[]>>
  readonly restrictions: Restrictions
  /** Schema of the report. */
  readonly outputSchema?: JsonSchema | undefined
}

const FORK = { true: 'fork', false: 'fresh' } as const

type Complain = (field: string, message: string) => void

/** Reads an option from its alternative names. Contradictions are reported with both names. */
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
  if (other) complain(other[0], `"${first![0]}" and "${other[0]}" mean the same but differ; send only one`)
  return first?.[1]
}

/** `provider` and `model` beside it form one id. */
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

/** The short form can only allow, but a spawn can only restrict: its author meant something else. */
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
