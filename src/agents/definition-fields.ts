import { z } from 'zod'
import {
  efforts,
  type AgentDefinition,
  type AgentTool,
  type JsonSchema,
  type Rule,
  type Summarize,
} from '../core/agent.ts'
import { once } from '../core/once.ts'
import { isSummaryPreset, summaryPresets } from '../core/report.ts'
import { schemaProblem } from './schema-problem.ts'

export type FieldName = Exclude<
  keyof AgentDefinition,
  'name' | 'description' | 'prompt' | 'checkOutput' | 'extra' | 'source'
>

interface Field {
  /** In words, for the person who wrote the file. */
  readonly expected: string
  /** A value that cannot be read skips the file: without it the agent could do more, or other, than its author meant. */
  readonly strict: boolean
}

const TEXT = { expected: 'a text', strict: false }
const COUNT = { expected: 'a whole number from 1', strict: false }
const LINES = { expected: 'a list of texts', strict: false }
const TOOLS = { expected: 'a list of tool or toolset names', strict: true }
const SUMMARIES = Object.keys(summaryPresets).join(', ')

/** Every field of a definition but its name, description and prompt. */
export const definitionFields: Readonly<Record<FieldName, Field>> = {
  title: TEXT,
  icon: TEXT,
  model: TEXT,
  effort: { expected: `one of ${efforts.join(', ')}`, strict: false },
  temperature: { expected: 'a number from 0 to 2', strict: false },
  tools: TOOLS,
  disallowedTools: TOOLS,
  permissions: { expected: 'a list of {tool, pattern?, action: allow | ask | deny}', strict: true },
  maxTurns: COUNT,
  maxCostUsd: { expected: 'a number of US dollars', strict: false },
  timeoutMs: COUNT,
  background: { expected: 'true or false', strict: false },
  isolation: { expected: '`none` or `worktree`', strict: true },
  backend: TEXT,
  spawns: { expected: 'a list of agent names', strict: true },
  inputSchema: { expected: 'a JSON Schema of type object', strict: true },
  outputSchema: { expected: 'a JSON Schema', strict: true },
  summarize: { expected: `${SUMMARIES}, or a line that says how`, strict: false },
  exposeAsTool: { expected: 'true, a tool name, or {name, description?, maxTurns?}', strict: false },
  contextFiles: LINES,
  skills: LINES,
  mcpServers: LINES,
}

/** What a field of that name holds for a value as it is written. */
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
  /** A tool or toolset, or a tool of an MCP server; no pattern: those are rules, under `permissions`. */
  const tools = words.pipe(z.array(z.string().regex(/^[A-Za-z0-9_][\w./-]*\*?$|^\*$/)))
  const count = z.int().min(1)
  const jsonSchema = z.custom<JsonSchema>(isPlainObject).superRefine((schema, context) => {
    const problem = schemaProblem(schema)
    if (problem) context.addIssue({ code: 'custom', message: problem })
  })
  return {
    title: text,
    icon: text,
    model: text,
    effort: line.transform((value) => value.toLowerCase()).pipe(z.enum(efforts)),
    temperature: z.number().min(0).max(2),
    tools,
    disallowedTools: tools,
    permissions: z.array(ruleSchema(line, text)),
    maxTurns: count,
    maxCostUsd: z.number().min(0),
    timeoutMs: count,
    background: z.boolean(),
    isolation: z.enum(['none', 'worktree']),
    backend: text,
    spawns: words,
    /** Typed input becomes labelled lines, so it is an object with fields. */
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

function ruleSchema(line: Text, text: Text): z.ZodType<Rule> {
  return z
    .strictObject({ tool: text, pattern: line.optional(), action: z.enum(['allow', 'ask', 'deny']) })
    .transform(({ tool, pattern, action }) => {
      const colon = pattern === undefined ? tool.indexOf(':') : -1
      if (colon > 0) return { tool: tool.slice(0, colon), pattern: tool.slice(colon + 1), action }
      return pattern === undefined ? { tool, action } : { tool, pattern, action }
    })
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

/** One word is the name of a preset, or a slip in it; a request to a model has more. Only code can give a function. */
function summarySchema(text: Text): z.ZodType {
  return z.union([
    z.custom<Summarize>((value) => typeof value === 'function'),
    text.refine((value) => isSummaryPreset(value) || /\s/.test(value)),
  ])
}

/** The field of a key in any of its spellings: `maxTurns`, `max_turns`, `max-turns`. */
export function fieldNamed(key: string): FieldName | undefined {
  return spellings.get(flat(key))
}

/** A field that the key was probably meant to be: its singular or plural. */
export function fieldLike(key: string): FieldName | undefined {
  const name = flat(key)
  return spellings.get(`${name}s`) ?? spellings.get(name.replace(/s$/, ''))
}

const spellings = new Map((Object.keys(definitionFields) as FieldName[]).map((name) => [flat(name), name]))

function flat(key: string): string {
  return key.replace(/[_-]/g, '').toLowerCase()
}

/** No Map, no Date and no list. */
function isPlainObject(value: unknown): boolean {
  return Object.prototype.toString.call(value) === '[object Object]'
}
