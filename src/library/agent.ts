import { z } from 'zod'
import { agentNameProblem } from '../agents/agent-name.ts'
import { definitionFields } from '../agents/definition-fields.ts'
import { readFields, type Fields } from '../agents/read-fields.ts'
import { toolNameOf } from '../agents/agent-name.ts'
import type { AgentRegistry } from '../agents/registry.ts'
import { issueLines } from '../agents/schema-checker.ts'
import { reminderProblem } from '../agents/reminder-problem.ts'
import { typedProblem } from '../agents/typed-problem.ts'
import {
  basePrompts,
  type AgentDefinition,
  type AgentTool,
  type BasePrompt,
  type CheckOutput,
  type JsonSchema,
} from '../core/agent.ts'
import { OffshootError } from '../core/errors.ts'
import { idleSetting } from '../core/idle-setting.ts'
import type { OwnModel, OwnModels } from '../model/custom-models.ts'
import type { Registry } from '../tools/registry.ts'
import { strangerProblem } from '../core/rules/unknown-tool.ts'
import { knownTools } from '../project/known-tools.ts'
import { isControlName, isTaskName } from '../runtime/task/task-input.ts'
import { exposedAgents, isToolName } from '../runtime/authority/exposed-agents.ts'
import { checkOptions } from './check-options.ts'
import { isZodSchema } from './tool.ts'

/** An agent defined in code: the fields of an agent file, with models and zod schemas as code has them. */
export interface OwnAgent<O = unknown> extends Omit<
  AgentDefinition,
  | 'basePrompt'
  | 'model'
  | 'inputSchema'
  | 'outputSchema'
  | 'checkOutput'
  | 'exposeAsTool'
  | 'extra'
  | 'source'
> {
  /**
   * What the runtime adds to `prompt`. `bare`: only the files and the schema that the agent asks for. `workspace`: also
   * the rules of the built-in agents, the directory listing, AGENTS.md, skills and limits. Default: the `prompt` option
   * of `createOffshoot`.
   */
  readonly basePrompt?: BasePrompt
  /** `provider/model`, `inherit` (default), `small`, or a model of the AI SDK. */
  readonly model?: string | OwnModel
  /** Input of the tool that `exposeAsTool` creates: one object schema (no union), as zod or JSON Schema. */
  readonly inputSchema?: JsonSchema | z.ZodType<unknown, object>
  /**
   * Schema of its report: zod or JSON Schema. `result().output` has this type. A report must pass every zod check,
   * including `refine`; `transform` does not change it.
   */
  readonly outputSchema?: JsonSchema | z.ZodType<unknown, O>
  /** Offers the agent as a tool; `true` uses its own name. */
  readonly exposeAsTool?: boolean | string | AgentTool
}

/**
 * Defines an agent in code; `outputSchema` determines the type of its output. @throws OffshootError `usage` for an
 * invalid definition.
 */
export function agent<O = unknown>(definition: OwnAgent<O>): OwnAgent<O> {
  readAgent(definition, 'agent')
  return definition
}

/** Context needed to convert the agents of a program to agents of the runtime. */
export interface AgentSetting {
  readonly models: OwnModels
  /** For agents that do not set it. */
  readonly basePrompt: BasePrompt
}

/** Converts to the runtime's form. @throws OffshootError `usage`, and the errors of an invalid model. */
export function runtimeAgent(
  own: unknown,
  { models, basePrompt }: AgentSetting,
  where: string,
): AgentDefinition {
  const { model, ...read } = readAgent(own, where)
  const definition = { basePrompt, ...read }
  if (model === undefined) return definition
  return { ...definition, model: typeof model === 'string' ? model : models.idOf(model) }
}

/** Checks that all names in an agent exist. @throws OffshootError `usage` with the agent and the unknown name. */
export function checkAgents(
  agents: readonly AgentDefinition[],
  tools: Registry,
  known: AgentRegistry,
  where: string,
): void {
  const names = new Set<string>()
  const exposed = exposedAgents(known, tools)
  const isExposed = (tool: string) => [...exposed.tools.keys()].some((each) => isToolName(tool, each))
  const ruleNames = knownTools({ tools, agents: known.list() })
  for (const {
    name,
    tools: own = [],
    disallowedTools = [],
    spawns = [],
    exposeAsTool,
    permissions = [],
  } of agents) {
    const refuse = (why: string, hint?: string) =>
      new OffshootError('usage', `${where}: the agent ${name} ${why}`, hint ? { hint } : {})
    if (names.has(name)) throw refuse('is defined twice')
    names.add(name)
    const unknown = tools
      .unknownNames([...own, ...disallowedTools])
      .find((each) => !isTaskName(each) && !isControlName(each) && !OF_RUNTIME.has(each) && !isExposed(each))
    if (unknown) throw refuse(`names an unknown tool, ${unknown}`, `the tools are: ${toolNames(tools)}`)
    for (const { tool } of permissions) {
      const problem = strangerProblem({ tool, kind: 'rule', where: name }, ruleNames)
      if (problem) throw refuse(`has a rule that cannot be read: ${problem}`)
    }
    if (exposeAsTool && exposed.tools.get(exposeAsTool.name)?.name !== name)
      throw refuse(`cannot be the tool ${exposeAsTool.name}: another tool or agent has that name`)
    const stranger = spawns.find((each) => each !== '*' && !known.get(each))
    if (stranger)
      throw refuse(`may spawn an unknown agent, ${stranger}`, `the agents are: ${known.names().join(', ')}`)
  }
}

/** Toolset names that every run has besides its registry. */
const OF_RUNTIME: ReadonlySet<string> = new Set(['get_tools', 'use_tool', 'agents'])

function toolNames(tools: Registry): string {
  return tools
    .list()
    .map(({ name }) => name)
    .join(', ')
}

const identitySchema = z.looseObject({
  name: z.string().superRefine((name, { addIssue }) => {
    const problem = agentNameProblem(name.trimStart() === name ? name : '')
    if (problem !== undefined) addIssue(`a name that ${problem}`)
  }),
  description: z.string().min(1),
  prompt: z.string(),
  basePrompt: z.enum(basePrompts).optional(),
})

type Read = Omit<AgentDefinition, 'model'> & Pick<OwnAgent, 'model'>

function readAgent(own: unknown, where: string): Read {
  const { name, description, prompt, basePrompt, ...given } = checkOptions(identitySchema, own, where)
  const at = `${where} ${name}`
  const { model, ...fields } = given
  const isModel = model !== undefined && typeof model !== 'string'
  const read = readOwnFields(isModel ? fields : given, at)
  const { exposeAsTool, ...rest } = read
  const tool = exposeAsTool === true ? toolOf(name, at) : exposeAsTool
  const agent = {
    name,
    description,
    prompt,
    ...(basePrompt ? { basePrompt } : {}),
    source: 'program',
    ...rest,
    ...(isModel ? { model } : {}),
    ...(tool ? { exposeAsTool: tool } : {}),
    ...(isZodSchema(given['outputSchema']) ? { checkOutput: checkOutput(given['outputSchema']) } : {}),
  } as Read
  const reminder = reminderProblem(agent)
  const idle = typeof agent.model === 'string' ? idleSetting(agent, agent.model) : undefined
  const problem =
    tool && !agent.inputSchema
      ? 'exposeAsTool: it needs an inputSchema'
      : (typedProblem(agent) ?? (reminder && `firstTurnReminder: ${reminder}`) ?? idle?.why)
  if (problem) throw new OffshootError('usage', `${at}: ${problem}`)
  return agent
}

/** Unknown fields: ignored in a file, an error in code. */
function readOwnFields(given: Readonly<Record<string, unknown>>, at: string): Fields {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined)
  const { fields, wrong, ignored, unknown } = readFields(
    entries.map(([key, value]) => [key, isZodSchema(value) ? jsonSchemaOf(value, key, at) : value]),
  )
  const [stranger] = unknown
  if (stranger)
    throw new OffshootError('usage', `${at}: there is no field ${JSON.stringify(stranger.key)}`, {
      hint: `known: name, description, prompt, basePrompt, ${Object.keys(definitionFields).join(', ')}`,
    })
  const note = wrong ?? ignored[0]
  if (note) throw new OffshootError('usage', `${at}: ${note.path.join('.')}: ${note.problem}`)
  return fields
}

/** Checks that JSON Schema cannot express: zod refinements, including async ones. */
function checkOutput(schema: z.ZodType): CheckOutput {
  return async (value) => {
    const { error } = await schema.safeParseAsync(value)
    if (!error) return []
    return issueLines(
      error.issues.map(({ path, message }) => ({
        path: path.map((name) => (typeof name === 'number' ? name : String(name))),
        message: `is refused: ${message}`,
      })),
    )
  }
}

function toolOf(name: string, at: string): AgentTool {
  const tool = toolNameOf(name)
  if (tool !== '') return { name: tool }
  throw new OffshootError(
    'usage',
    `${at}: exposeAsTool: the agent name is not a valid tool name; set exposeAsTool.name`,
  )
}

function jsonSchemaOf(schema: z.ZodType, key: string, at: string): unknown {
  try {
    const { $schema: _, ...rest } = z.toJSONSchema(schema, { target: 'draft-07', io: 'input' })
    return rest
  } catch (error) {
    throw new OffshootError('usage', `${at}: ${key}: the schema cannot be converted to JSON Schema`, {
      cause: error,
    })
  }
}
