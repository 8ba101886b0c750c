import { z } from 'zod'
import {
  efforts,
  type AgentDefinition,
  type AgentTool,
  type JsonSchema,
  type Rule,
  type Summarize,
} from '../core/agent.ts'
import { isSummaryPreset, summaryPresets } from '../core/report.ts'
import { schemaProblem } from './schema-problem.ts'

export type FieldName = Exclude<
  keyof AgentDefinition,
  'name' | 'description' | 'prompt' | 'checkOutput' | 'extra' | 'source'
>

interface Field {
  readonly schema: z.ZodType
  /** In words, for the person who wrote the file. */
  readonly expected: string
  /** A value that cannot be read skips the file: without it the agent could do more, or other, than its author meant. */
  readonly strict: boolean
}

const line = z.lazy(() =>
  z.union([z.string(), z.number(), z.boolean()]).transform((value) => String(value).trim()),
)
const text = z.lazy(() => line.pipe(z.string().min(1)))
const words = z.lazy(() =>
  z
    .union([z.string().transform((value) => value.split(',').map((word) => word.trim())), z.array(line)])
    .pipe(z.array(z.string().regex(/^\S+$/))),
)
const lines = z.lazy(() => z.union([text.transform((value) => [value]), z.array(text)]))
/** A tool or toolset, or a tool of an MCP server; no pattern: those are rules, under `permissions`. */
const toolNames = z.lazy(() => words.pipe(z.array(z.string().regex(/^[A-Za-z0-9_][\w./-]*\*?$|^\*$/))))

const rule: z.ZodType<Rule> = z.lazy(() =>
  z
    .strictObject({ tool: text, pattern: line.optional(), action: z.enum(['allow', 'ask', 'deny']) })
    .transform(({ tool, pattern, action }) => {
      const colon = pattern === undefined ? tool.indexOf(':') : -1
      if (colon > 0) return { tool: tool.slice(0, colon), pattern: tool.slice(colon + 1), action }
      return pattern === undefined ? { tool, action } : { tool, pattern, action }
    }),
)

const jsonSchema = z.lazy(() =>
  z.custom<JsonSchema>(isPlainObject).superRefine((schema, context) => {
    const problem = schemaProblem(schema)
    if (problem) context.addIssue({ code: 'custom', message: problem })
  }),
)
/** Typed input becomes labelled lines, so it is an object with fields. */
const inputSchema = z.lazy(() =>
  jsonSchema.refine((schema) => schema.type === 'object', 'its type is not `object`'),
)

const toolName = z.lazy(() => z.string().regex(/^[a-z][a-z0-9_]{0,63}$/))
const agentTool: z.ZodType<AgentTool | boolean> = z.lazy(() =>
  z.union([
    z.boolean(),
    toolName.transform((name) => ({ name })),
    z
      .strictObject({ name: toolName, description: text.optional(), maxTurns: z.int().min(1).optional() })
      .transform(({ name, description, maxTurns }) => ({
        name,
        ...(description === undefined ? {} : { description }),
        ...(maxTurns === undefined ? {} : { maxTurns }),
      })),
  ]),
)

/** One word is the name of a preset, or a slip in it; a request to a model has more. Only code can give a function. */
const summary = z.lazy(() =>
  z.union([
    z.custom<Summarize>((value) => typeof value === 'function'),
    text.refine((value) => isSummaryPreset(value) || /\s/.test(value)),
  ]),
)
const SUMMARIES = Object.keys(summaryPresets).join(', ')

const TEXT = { schema: text, expected: 'a text', strict: false }
const COUNT = { schema: z.int().min(1), expected: 'a whole number from 1', strict: false }
const LINES = { schema: lines, expected: 'a list of texts', strict: false }
const TOOLS = { schema: toolNames, expected: 'a list of tool or toolset names', strict: true }

/** Every field of a definition but its name, description and prompt. */
export const definitionFields: Readonly<Record<FieldName, Field>> = {
  title: TEXT,
  icon: TEXT,
  model: TEXT,
  effort: {
    schema: line.transform((value) => value.toLowerCase()).pipe(z.enum(efforts)),
    expected: `one of ${efforts.join(', ')}`,
    strict: false,
  },
  tools: TOOLS,
  disallowedTools: TOOLS,
  permissions: {
    schema: z.array(rule),
    expected: 'a list of {tool, pattern?, action: allow | ask | deny}',
    strict: true,
  },
  maxTurns: COUNT,
  maxCostUsd: { schema: z.number().min(0), expected: 'a number of US dollars', strict: false },
  timeoutMs: COUNT,
  background: { schema: z.boolean(), expected: 'true or false', strict: false },
  isolation: { schema: z.enum(['none', 'worktree']), expected: '`none` or `worktree`', strict: true },
  backend: TEXT,
  spawns: { schema: words, expected: 'a list of agent names', strict: true },
  inputSchema: { schema: inputSchema, expected: 'a JSON Schema of type object', strict: true },
  outputSchema: { schema: jsonSchema, expected: 'a JSON Schema', strict: true },
  summarize: { schema: summary, expected: `${SUMMARIES}, or a line that says how`, strict: false },
  exposeAsTool: {
    schema: agentTool,
    expected: 'true, a tool name, or {name, description?, maxTurns?}',
    strict: false,
  },
  contextFiles: LINES,
  skills: LINES,
  mcpServers: LINES,
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
