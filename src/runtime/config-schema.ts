import { z } from 'zod'
import { errorMessage } from '../core/errors.ts'
import { defaultLimits } from '../core/limits.ts'
import { once } from '../core/once.ts'
import { providers } from '../model/catalogue.ts'
import { MAX_PATTERN_LENGTH } from '../permissions/pattern.ts'
import { parseRule } from '../permissions/rule.ts'
import { keyedProviders, searchProviders } from '../tools/web/search-settings.ts'

/** What a configuration file may hold (interfaces.md §5). Money in US dollars, times in milliseconds. */
export type Config = z.infer<ReturnType<typeof makeConfigSchema>>
/** As it is written: everything may be left out. */
export type ConfigInput = z.input<ReturnType<typeof makeConfigSchema>>

/** Made when it is first asked for, as what it is made of: most starts have no configuration. */
export const configSchema = once(makeConfigSchema)
const ruleSchema = once(makeRuleSchema)
const ruleObject = once(makeRuleObject)

function makeRuleObject() {
  return z.strictObject({
    tool: z.string().min(1).describe('a tool, a toolset, or * for every tool'),
    pattern: z.string().optional().describe('over what the call touches: a command, a path, a host, a name'),
    action: z.enum(['allow', 'ask', 'deny']),
  })
}

/** An object, or the short form `tool:pattern`, which allows. */
function makeRuleSchema() {
  return z.preprocess((value, context) => {
    if (typeof value !== 'string') return value
    try {
      return parseRule(value, 'allow')
    } catch (error) {
      context.addIssue({ code: 'custom', message: errorMessage(error) })
      return z.NEVER
    }
  }, ruleObject())
}

function delegationSchema() {
  return z.strictObject({
    agent: z.string().min(1).describe('the agent that may do it'),
    for: z.string().min(1).describe('the agent that starts it'),
    tool: z
      .string()
      .min(1)
      .refine((name) => name !== '*', 'a delegation names the tool or toolset that it is for')
      .describe('a tool or a toolset'),
    pattern: z.string().min(1).max(MAX_PATTERN_LENGTH).optional().describe('as in a rule'),
  })
}

function agentSettings() {
  return z.strictObject({
    model: z.string().min(1).optional(),
    maxTurns: z.int().min(1).optional(),
  })
}

function priceSchema() {
  const dollars = z.number().min(0)
  return z
    .strictObject({
      input: dollars,
      output: dollars,
      cacheRead: dollars.optional(),
      cacheWrite: dollars.optional(),
    })
    .transform(({ input, output, cacheRead = input, cacheWrite = input }) => ({
      input,
      output,
      cacheRead,
      cacheWrite,
    }))
}

function limitsSchema() {
  return z.strictObject({
    maxConcurrent: z
      .int()
      .min(1)
      .default(defaultLimits.maxConcurrent)
      .describe('children that run at the same time in one conversation'),
    maxDepth: z
      .int()
      .min(0)
      .max(5)
      .default(defaultLimits.maxDepth)
      .describe('depth of delegation; 1: a subagent does not spawn'),
    maxSpawns: z.int().min(0).default(defaultLimits.maxSpawns).describe('subagents of one conversation'),
    budgetUsd: z
      .number()
      .min(0)
      .nullable()
      .default(defaultLimits.budgetUsd)
      .describe('money of one conversation, US dollars'),
    maxTurns: z.int().min(1).default(defaultLimits.maxTurns).describe('turns of a main run'),
    maxTurnsSubagent: z
      .int()
      .min(1)
      .default(defaultLimits.maxTurnsSubagent)
      .describe('turns of a subagent whose definition names none'),
    maxQueue: z.int().min(0).default(defaultLimits.maxQueue).describe('runs that may wait for a slot'),
    globalConcurrent: z
      .int()
      .min(1)
      .default(defaultLimits.globalConcurrent)
      .describe('children that run at the same time in this process'),
    maxTokens: z.int().min(1).default(defaultLimits.maxTokens).describe('tokens of one conversation'),
    maxIdenticalCalls: z
      .int()
      .min(2)
      .default(defaultLimits.maxIdenticalCalls)
      .describe('equal calls with equal results in a row'),
    maxReportTokens: z
      .int()
      .min(1)
      .default(defaultLimits.maxReportTokens)
      .describe('tokens of a report in its parent’s context'),
    stallMs: z.int().min(1).default(defaultLimits.stallMs).describe('time without any event, milliseconds'),
    approvalMs: z
      .int()
      .min(1)
      .default(defaultLimits.approvalMs)
      .describe('time that a question waits, milliseconds'),
    timeoutMs: z
      .int()
      .min(1)
      .nullable()
      .default(defaultLimits.timeoutMs)
      .describe('time of a run, milliseconds'),
  })
}

function makeConfigSchema() {
  return z.strictObject({
    $schema: z.string().optional(),
    model: z.string().min(1).optional().describe('provider/model of the main agent'),
    smallModel: z.string().min(1).optional().describe('provider/model of agents that ask for a small one'),
    baseUrls: z
      .partialRecord(z.enum(providers), z.string().min(1))
      .default({})
      .describe('base URL of a provider, in the form of its environment variable'),
    delegation: z.enum(['off', 'ask', 'auto']).default('auto'),
    limits: limitsSchema().prefault({}),
    subagents: z
      .strictObject({
        backend: z.string().default('native'),
        isolation: z.enum(['none', 'worktree']).default('none'),
      })
      .prefault({}),
    discovery: z.enum(['auto', 'on', 'off']).default('auto'),
    permissions: z.array(ruleSchema()).default([]),
    delegations: z
      .array(delegationSchema())
      .default([])
      .describe('what an agent may do although the one that starts it may not; of the user config alone'),
    agents: z.record(z.string(), agentSettings()).default({}),
    prices: z
      .record(z.string(), priceSchema())
      .default({})
      .describe('US dollars per million tokens, by provider/model'),
    search: z
      .strictObject({
        provider: z.enum(searchProviders).optional().describe('who searches the web for websearch'),
        keys: z.partialRecord(z.enum(keyedProviders), z.string().min(1)).default({}).describe('by provider'),
        url: z
          .url({ protocol: /^https?$/, error: 'expected an http or https URL' })
          .optional()
          .describe('where SearXNG is'),
      })
      .prefault({}),
    recovery: z.enum(['continue', 'pause']).default('continue'),
    store: z
      .strictObject({
        warnBytes: z
          .int()
          .min(0)
          .nullable()
          .default(2 * 1024 ** 3)
          .describe('a start says so when the store takes more bytes; null: never'),
      })
      .prefault({}),
    announce: z.enum(['full', 'summary']).default('full'),
  })
}

/** The same as a JSON Schema (draft 7), for editors. */
export function configJsonSchema(): object {
  return z.toJSONSchema(configSchema(), {
    target: 'draft-07',
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema !== ruleSchema()) return
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key]
      jsonSchema.anyOf = [SHORT_RULE, objectRule()]
    },
  })
}

const SHORT_RULE = { type: 'string', minLength: 1, description: 'tool:pattern, which is allowed' } as const

function objectRule() {
  const { $schema: _, ...schema } = z.toJSONSchema(ruleObject(), { target: 'draft-07' })
  return schema
}
