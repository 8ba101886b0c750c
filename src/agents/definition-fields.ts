import { z } from 'zod'
import {
  efforts,
  type AgentDefinition,
  type AgentTool,
  type JsonSchema,
  type Rule,
  type Summarize,
} from '../core/agent.ts'
import { modelSettingsSchema } from '../core/model-settings.ts'
import { once } from '../core/once.ts'
import { isRule, readRule } from '../core/rules/read-rule.ts'
import { ruleListProblem } from '../core/rules/rule-list.ts'
import { shown } from '../core/rules/quoted-value.ts'
import { isSummaryPreset, summaryPresets } from '../core/report-summary.ts'
import { flat } from './restricting-keys.ts'
import { schemaProblem } from './schema-problem.ts'

export type FieldName = Exclude<
  keyof AgentDefinition,
  'name' | 'description' | 'prompt' | 'basePrompt' | 'checkOutput' | 'extra' | 'source' | 'narrowed'
>

interface Field {
  /** Description for the author of a file. */
  readonly expected: string
  /**
   * Whether an invalid value is an error: without the field, the agent could do more, or something else, than its
   * author meant.
   */
  readonly strict: boolean
  /** JSON Schema for editors. */
  readonly json: JsonSchema
}

const TEXT = { expected: 'a string', strict: false, json: { type: 'string' } }
const COUNT = { expected: 'a whole number from 1', strict: true, json: { type: 'integer', minimum: 1 } }
const NAMES = { anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'string' }] }
const LINES = { expected: 'a list of strings', strict: false, json: NAMES }
const TOOLS = {
  expected: 'a list of tool or toolset names (patterns are rules, in `permissions`)',
  strict: true,
  json: NAMES,
}
const SUMMARIES = Object.keys(summaryPresets).join(', ')
const RULES = 'a list of {tool, pattern?, action: allow | ask | deny}'

/** Every field of a definition except name, description and prompt. */
export const definitionFields: Readonly<Record<FieldName, Field>> = {
  title: TEXT,
  icon: TEXT,
  model: TEXT,
  effort: { expected: `one of ${efforts.join(', ')}`, strict: false, json: { enum: efforts } },
  temperature: {
    expected: 'a number from 0 to 2',
    strict: false,
    json: { type: 'number', minimum: 0, maximum: 2 },
  },
  topP: {
    expected: 'a number from 0 to 1',
    strict: true,
    json: { type: 'number', minimum: 0, maximum: 1 },
  },
  maxOutputTokens: COUNT,
  stopSequences: {
    expected: 'a list of at most 16 strings',
    strict: true,
    json: { type: 'array', items: { type: 'string' } },
  },
  promptCache: { expected: '`5m` or `1h`', strict: true, json: { enum: ['5m', '1h'] } },
  providerOptions: {
    expected: 'provider options, keyed by provider',
    strict: true,
    json: { type: 'object' },
  },
  tools: TOOLS,
  disallowedTools: TOOLS,
  permissions: { expected: RULES, strict: true, json: { type: 'array' } },
  mode: {
    expected: '`plan` or `ask`; an agent cannot use a mode that allows more',
    strict: true,
    json: { enum: ['plan', 'ask'] },
  },
  maxTurns: COUNT,
  maxCostUsd: { expected: 'a number of US dollars', strict: true, json: { type: 'number', minimum: 0 } },
  timeoutMs: COUNT,
  background: { expected: 'true or false', strict: false, json: { type: 'boolean' } },
  firstTurnReminder: { expected: 'true or false', strict: true, json: { type: 'boolean' } },
  isolation: {
    expected: '`none`; all agents share one directory',
    strict: true,
    json: { enum: ['none'] },
  },
  backend: { expected: '`native`', strict: true, json: { enum: ['native'] } },
  spawns: { expected: 'a list of agent names, or *', strict: true, json: NAMES },
  inputSchema: { expected: 'a JSON Schema of type object', strict: true, json: { type: 'object' } },
  outputSchema: { expected: 'a JSON Schema', strict: true, json: { type: 'object' } },
  summarize: { expected: `${SUMMARIES}, or an instruction`, strict: false, json: { type: 'string' } },
  exposeAsTool: {
    expected: 'true, a tool name, or {name, description?, maxTurns?}',
    strict: false,
    json: {},
  },
  contextFiles: LINES,
  skills: LINES,
  mcpServers: { expected: 'an empty list', strict: true, json: { type: 'array', maxItems: 0 } },
}

/** Parses the value of a field. */
export function parseField(name: FieldName, value: unknown): z.ZodSafeParseResult<unknown> {
  return schemas()[name].safeParse(value)
}

const schemas = once(makeSchemas)

function makeSchemas(): Readonly<Record<FieldName, z.ZodType>> {
  const line = z.union([z.string(), z.number(), z.boolean()]).transform((value) => String(value).trim())
  const text = line.pipe(z.string().min(1))
  const words = z
    .union([z.string().transform((value) => value.split(',').map((word) => word.trim())), z.array(line)])
    .pipe(z.array(z.string().regex(/^\S+$/)))
  const lines = z.union([text.transform((value) => [value]), z.array(text)])
  /** A tool, a toolset, or a tool of an MCP server; not a pattern: patterns are rules, under `permissions`. */
  const tools = words.pipe(z.array(z.string().regex(/^[A-Za-z0-9_][\w./-]*\*?$|^\*$/)))
  const count = z.int().min(1)
  const jsonSchema = z.custom<JsonSchema>(isPlainObject).superRefine((schema, context) => {
    const problem = schemaProblem(schema)
    if (problem) context.addIssue({ code: 'custom', message: problem })
  })
  const settings = modelSettingsSchema().required().shape
  return {
    title: text,
    icon: text,
    model: text,
    effort: line.transform((value) => value.toLowerCase()).pipe(z.enum(efforts)),
    ...settings,
    tools,
    disallowedTools: tools,
    permissions: rulesSchema(),
    mode: modeSchema(),
    maxTurns: count,
    maxCostUsd: z.number().min(0),
    timeoutMs: count,
    background: z.boolean(),
    firstTurnReminder: z.boolean(),
    isolation: only('none', 'all agents share one directory'),
    backend: only('native', 'all agents run in this program'),
    spawns: words,
    /** Typed input becomes labelled lines, so it must be an object with fields. */
    inputSchema: jsonSchema.refine((schema) => schema.type === 'object', 'its type is not `object`'),
    outputSchema: jsonSchema,
    summarize: summarySchema(text),
    exposeAsTool: agentToolSchema(text),
    contextFiles: lines,
    skills: lines,
    mcpServers: lines,
  }
}

type Text = z.ZodType<string, unknown>

function rulesSchema(): z.ZodType<Rule[]> {
  return z
    .unknown()
    .superRefine((value, context) => {
      if (!Array.isArray(value)) context.addIssue({ code: 'custom', message: ruleListProblem(value) })
    })
    .pipe(z.array(ruleSchema()))
}

function ruleSchema(): z.ZodType<Rule> {
  return z.unknown().transform((value, context) => {
    const read = readRule(value)
    if (isRule(read)) return read
    const path = read.key === null ? [] : [read.key]
    context.addIssue({ code: 'custom', path, message: read.problem })
    return z.NEVER
  })
}

/** A setting with one supported value; the others have no effect yet. */
function only(now: string, because: string): z.ZodType {
  return z.unknown().superRefine((value, context) => {
    if (value === now) return
    const message = `${shown(value)} has no effect: ${because}; write ${now} or leave it out`
    context.addIssue({ code: 'custom', message })
  })
}

/** Also accepts Claude Code's names. */
function modeSchema(): z.ZodType {
  const asking = ['default', 'manual'] as const
  return z.union([z.enum(['plan', 'ask']), z.enum(asking).transform(() => 'ask' as const)])
}

function agentToolSchema(text: Text): z.ZodType<AgentTool | boolean> {
  const name = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/)
  return z.union([
    z.boolean(),
    name.transform((name) => ({ name })),
    z
      .strictObject({ name, description: text.optional(), maxTurns: z.int().min(1).optional() })
      .transform(({ name, description, maxTurns }) => ({
        name,
        ...(description === undefined ? {} : { description }),
        ...(maxTurns === undefined ? {} : { maxTurns }),
      })),
  ])
}

/** One word is a preset's name or a typo; an instruction for a model has more words. Only code can set a function. */
function summarySchema(text: Text): z.ZodType {
  return z.union([
    z.custom<Summarize>((value) => typeof value === 'function'),
    text.refine((value) => isSummaryPreset(value) || /\s/.test(value)),
  ])
}

/** The field for a key in any spelling: `maxTurns`, `max_turns`, `max-turns`, `maxIterations`. */
export function fieldSpelled(key: string): FieldName | undefined {
  return spellings.get(flat(key))
}

/** Other programs' names. */
const ALIASES: readonly (readonly [string, FieldName])[] = [
  ['allowedTools', 'tools'],
  ['defaultPermissions', 'permissions'],
  ['permissionMode', 'mode'],
  ['maxIterations', 'maxTurns'],
]

const spellings = new Map<string, FieldName>([
  ...(Object.keys(definitionFields) as FieldName[]).map((name) => [flat(name), name] as const),
  ...ALIASES.map(([alias, name]) => [flat(alias), name] as const),
])

/** Excludes Map, Date and arrays. */
function isPlainObject(value: unknown): boolean {
  return Object.prototype.toString.call(value) === '[object Object]'
}
