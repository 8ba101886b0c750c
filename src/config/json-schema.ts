import { z } from 'zod'
import { definitionFields } from '../agents/definition-fields.ts'
import type { JsonSchema } from '../core/agent.ts'
import type { Json } from '../core/json.ts'
import { MAX_PATTERN_LENGTH } from '../core/rules/pattern-problem.ts'
import { agentSchema, configSchema, ruleSchema, sandboxSchema, subagentsSchema } from './config-schema.ts'
import { sandboxSettings } from './sandbox-setting.ts'
import { subagentSpellings } from './setting-aliases.ts'

/** The configuration as a JSON Schema (draft 7), for editors. */
export function configJsonSchema(): object {
  return z.toJSONSchema(configSchema(), {
    target: 'draft-07',
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema === ruleSchema()) replace(jsonSchema, { anyOf: [SHORT_RULE, RULE] })
      if (zodSchema === sandboxSchema())
        replace(jsonSchema, { anyOf: [SHORT_SANDBOX, { ...jsonSchema } as Json] })
      if (zodSchema === agentSchema()) replace(jsonSchema, AGENT)
      if (zodSchema === subagentsSchema()) Object.assign(jsonSchema['properties'] ?? {}, subagentSpellings)
    },
  })
}

function replace(schema: Record<string, unknown>, by: JsonSchema): void {
  for (const key of Object.keys(schema)) delete schema[key]
  Object.assign(schema, by)
}

const SHORT_RULE = { type: 'string', minLength: 1, description: 'tool:pattern to allow' } as const
const SHORT_SANDBOX = { type: 'string', enum: sandboxSettings, description: 'its mode alone' } as const
const RULE = {
  type: 'object',
  properties: {
    tool: { type: 'string', minLength: 1, description: 'a tool, a toolset, or * for every tool' },
    pattern: {
      type: 'string',
      minLength: 1,
      maxLength: MAX_PATTERN_LENGTH,
      description: 'matches what the call touches: a command, path, host or name',
    },
    action: { type: 'string', enum: ['allow', 'ask', 'deny'] },
  },
  required: ['tool', 'action'],
  additionalProperties: false,
} as const
const AGENT: JsonSchema = {
  type: 'object',
  properties: {
    description: { type: 'string', description: 'when to delegate to it; a new agent needs one' },
    prompt: { type: 'string', description: 'its role; a new agent needs one' },
    ...Object.fromEntries(
      Object.entries(definitionFields).map(([name, { expected, json }]): [string, Json] => [
        name,
        { description: expected, ...json, ...(name === 'permissions' ? { items: RULE } : {}) },
      ]),
    ),
  },
}
