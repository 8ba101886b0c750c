import { z } from 'zod'
import { idleSetting } from '../core/idle-setting.ts'
import { modelSettingsSchema } from '../core/model-settings.ts'
import { once } from '../core/once.ts'
import { patternProblem } from '../core/rules/pattern-problem.ts'
import { shown } from '../core/rules/quoted-value.ts'
import { isRule, readRule, type RuleInput } from '../core/rules/read-rule.ts'
import { ruleListProblem } from '../core/rules/rule-list.ts'
import { providers } from '../model/models-and-prices.ts'
import type { AgentSettings } from './read-agent-settings.ts'
import { defaults } from './defaults.ts'
import { makeSandboxSchema } from './sandbox-schema.ts'
import { keyedProviders, searchProviders } from '../tools/web/search-settings.ts'

/** Content of a configuration file (docs/configuration.md). Money in US dollars, times in milliseconds. */
export type Config = z.infer<ReturnType<typeof makeConfigSchema>>
/** As written: everything is optional. */
export type ConfigInput = z.input<ReturnType<typeof makeConfigSchema>>

/** Created on first use, like its parts: most starts have no configuration. */
export const configSchema = once(makeConfigSchema)
export const ruleSchema = once(makeRuleSchema)
export const agentSchema = once(() => z.custom<AgentSettings>(isObject, 'expected the fields of an agent'))
export const subagentsSchema = once(makeSubagentsSchema)
export const sandboxSchema = once(makeSandboxSchema)

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An object, or the short form `tool:pattern` for an allow rule. */
function makeRuleSchema() {
  return z
    .custom<RuleInput>(() => true)
    .transform((value, context) => {
      const read = readRule(value)
      if (isRule(read)) return read
      const path = read.key === null ? [] : [read.key]
      context.addIssue({ code: 'custom', path, message: read.problem })
      return z.NEVER
    })
}

function rulesSchema() {
  return z.array(ruleSchema(), { error: ({ input }) => ruleListProblem(input) })
}

function delegationSchema() {
  return z
    .strictObject({
      agent: z.string().min(1).describe('the agent that may do it'),
      for: z.string().min(1).describe('the agent that starts it'),
      tool: z
        .string()
        .min(1)
        .refine((name) => name !== '*', 'a delegation must name a tool or toolset, not *')
        .describe('a tool or a toolset'),
      pattern: z.string().optional().describe('as in a rule'),
    })
    .superRefine(({ tool, pattern }, context) => {
      const read = readRule({ tool, action: 'allow' })
      const problem = pattern === undefined ? null : patternProblem(tool, pattern)
      if (!isRule(read)) context.addIssue({ code: 'custom', path: ['tool'], message: read.problem })
      else if (problem) context.addIssue({ code: 'custom', path: ['pattern'], message: problem })
    })
}

/** A setting with one supported value; the others have no effect yet. */
function only<const T extends string>(now: T, because: string) {
  const error = ({ input }: { readonly input?: unknown }) =>
    `${shown(input)} has no effect: ${because}; write "${now}" or leave it out`
  return z.literal(now, { error }).default(now)
}

function makeSubagentsSchema() {
  return z
    .strictObject({
      backend: only(defaults.subagents.backend, 'all agents run in this program'),
      isolation: only(defaults.subagents.isolation, 'all agents share one directory'),
    })
    .prefault({})
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

function modelsSchema() {
  return z
    .record(z.string(), modelSettingsSchema())
    .superRefine((models, context) => {
      for (const [id, settings] of Object.entries(models)) {
        const idle = idleSetting(settings, id)
        if (idle) context.addIssue({ code: 'custom', path: [id, idle.name], message: idle.why })
      }
    })
    .describe('settings of model requests, by provider/model')
}

function limitsSchema() {
  const { limits } = defaults
  return z.strictObject({
    maxConcurrent: z
      .int()
      .min(1)
      .default(limits.maxConcurrent)
      .describe('children that run at the same time in one conversation'),
    maxDepth: z
      .int()
      .min(0)
      .max(5)
      .default(limits.maxDepth)
      .describe('depth of delegation; 1: a subagent does not spawn'),
    maxSpawns: z.int().min(0).default(limits.maxSpawns).describe('subagents of one conversation'),
    budgetUsd: z
      .number()
      .min(0)
      .nullable()
      .default(limits.budgetUsd)
      .describe('money of one conversation, US dollars'),
    maxTurns: z.int().min(1).default(limits.maxTurns).describe('turns of a main run'),
    maxTurnsSubagent: z
      .int()
      .min(1)
      .default(limits.maxTurnsSubagent)
      .describe('turns of a subagent whose definition sets no limit'),
    maxQueue: z.int().min(0).default(limits.maxQueue).describe('runs that may wait for a slot'),
    globalConcurrent: z
      .int()
      .min(1)
      .default(limits.globalConcurrent)
      .describe('children that run at the same time in this process'),
    maxTokens: z.int().min(1).default(limits.maxTokens).describe('tokens of one conversation'),
    maxIdenticalCalls: z
      .int()
      .min(2)
      .default(limits.maxIdenticalCalls)
      .describe('consecutive rounds of one to four calls with the same results'),
    maxReportTokens: z
      .int()
      .min(1)
      .default(limits.maxReportTokens)
      .describe('tokens of a report in its parent’s context'),
    stallMs: z
      .int()
      .min(1)
      .default(limits.stallMs)
      .describe('time without events before a run pauses, milliseconds'),
    approvalMs: z
      .int()
      .min(1)
      .default(limits.approvalMs)
      .describe('time that a question waits, milliseconds'),
    timeoutMs: z.int().min(1).nullable().default(limits.timeoutMs).describe('time of a run, milliseconds'),
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
    delegation: z.enum(['off', 'ask', 'auto']).default(defaults.delegation),
    limits: limitsSchema().prefault({}),
    subagents: subagentsSchema(),
    discovery: z.enum(['auto', 'on', 'off']).default(defaults.discovery),
    permissions: rulesSchema().default([]),
    delegations: z
      .array(delegationSchema())
      .default([])
      .describe('what an agent may do even if the agent that starts it may not; user config only'),
    agents: z
      .record(z.string(), agentSchema())
      .default({})
      .describe('agents by name: fields to change, or a new agent with description and prompt'),
    models: modelsSchema().default({}),
    prices: z
      .record(z.string(), priceSchema())
      .default({})
      .describe('US dollars per million tokens, by provider/model'),
    search: z
      .strictObject({
        provider: z.enum(searchProviders).optional().describe('search provider for websearch'),
        keys: z
          .partialRecord(z.enum(keyedProviders), z.string().min(1))
          .default({})
          .describe('API keys by provider'),
        url: z
          .url({ protocol: /^https?$/, error: 'expected an http or https URL' })
          .optional()
          .describe('URL of SearXNG'),
      })
      .prefault({}),
    sandbox: sandboxSchema(),
    recovery: z.enum(['continue', 'pause']).default(defaults.recovery),
    store: z
      .strictObject({
        warnBytes: z
          .int()
          .min(0)
          .nullable()
          .default(defaults.store.warnBytes)
          .describe('warn at start when the store is larger, bytes; null: never'),
      })
      .prefault({}),
    announce: only(defaults.announce, 'reports are always announced in full'),
  })
}

/** The default configuration. */
export const defaultConfig = (): Config => structuredClone(defaults)
