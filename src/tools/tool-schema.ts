import { z } from 'zod'
import type { AnyTool } from './port.ts'

/** A tool as a model sees it. */
export interface ToolDescription {
  readonly name: string
  readonly description: string
  /** JSON Schema, draft 7. */
  readonly inputSchema: object
}

const described = new WeakMap<AnyTool, ToolDescription>()

/** Created once per tool: every request contains it, and providers cache identical bytes. */
export function toolSchema(tool: AnyTool): ToolDescription {
  const known = described.get(tool)
  if (known) return known
  const schema =
    tool.jsonSchema ??
    z.toJSONSchema(tool.inputSchema, { target: 'draft-07', io: 'input', unrepresentable: 'any' })
  const { $schema: _, ...inputSchema } = schema as { $schema?: string }
  const description = { name: tool.name, description: tool.description, inputSchema }
  described.set(tool, description)
  return description
}

/** The input fields of a tool on one line: `file_path: string, offset?: integer`. */
export function inputShape(tool: AnyTool): string {
  const schema = toolSchema(tool).inputSchema as JsonSchema
  const required = new Set(schema.required ?? [])
  const fields = Object.entries(schema.properties ?? {}).map(
    ([name, field]) => `${name}${required.has(name) ? '' : '?'}: ${typeName(field)}`,
  )
  return `{${fields.join(', ')}}`
}

interface JsonSchema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
}

function typeName(schema: JsonSchema): string {
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.anyOf) return schema.anyOf.map(typeName).join(' | ')
  if (schema.type === 'array') return `${typeName(schema.items ?? {})}[]`
  if (schema.type === 'object' && schema.properties) return `{${Object.keys(schema.properties).join(', ')}}`
  return schema.type ?? 'any'
}
