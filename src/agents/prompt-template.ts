import type { AgentDefinition } from '../core/agent.ts'
import type { Json } from '../core/json.ts'

/** The typed input of one call. */
export type TypedInput = { readonly [field: string]: Json | undefined }

type Typed = Pick<AgentDefinition, 'prompt' | 'inputSchema'>

/** `{{name}}`; behind a backslash it stands for itself. */
const FIELD = /(\\?)\{\{([^{}]*)\}\}/g

/** The fields that a definition's body names; none where it has no typed input. */
function templateFields({ prompt, inputSchema }: Typed): string[] {
  if (!inputSchema) return []
  const found = [...prompt.matchAll(FIELD)].filter(([, escaped]) => escaped === '')
  return [...new Set(found.map(([, , name]) => name!.trim()))]
}

/** Why input and body of a definition do not fit together; null where they do. */
export function templateProblem(agent: Typed): string | null {
  const used = templateFields(agent)
  if (used.length === 0) return null
  const fields = propertiesOf(agent)
  const unknown = used.find((name) => !fields.includes(name))
  if (unknown !== undefined)
    return `its body names {{${unknown.slice(0, 100)}}}, which its inputSchema lacks (it has ${fields.join(', ') || 'no fields'}); write \\{{ for a literal {{`
  const unused = requiredOf(agent).find((name) => !used.includes(name))
  return unused === undefined
    ? null
    : `its inputSchema requires ${unused.slice(0, 100)}, which its body never names; write {{${unused.slice(0, 100)}}} where it belongs`
}

/**
 * The message that a typed input comes to: the body with each `{{field}}` filled in, and below it, or alone where the body
 * names none, labelled lines of the fields that are left. A value is never looked at for fields again.
 */
export function typedMessage(agent: Typed, given: TypedInput): string {
  const used = templateFields(agent)
  const input = { ...defaultsOf(agent), ...given }
  const names = [...new Set([...propertiesOf(agent), ...Object.keys(input)])]
  const left = names.filter((name) => !used.includes(name) && valueOf(input, name) !== undefined)
  const lines = left.map((name) => labelledLine(name, valueOf(input, name)!))
  if (used.length === 0) return lines.join('\n')
  const body = agent.prompt.replaceAll(FIELD, (whole, escaped: string, name: string) =>
    escaped ? whole.slice(1) : textOf(valueOf(input, name.trim())),
  )
  return [body.trim(), ...(lines.length > 0 ? [lines.join('\n')] : [])].join('\n\n')
}

/** What the system text says of its role: a body that has come as the message is not said twice. */
export function roleText(agent: AgentDefinition, isFilled: boolean): string {
  if (templateFields(agent).length === 0) return agent.prompt
  if (isFilled) return agent.description
  return agent.prompt.replaceAll(FIELD, (whole, escaped: string, name: string) =>
    escaped ? whole.slice(1) : `[${name.trim()}: see the task]`,
  )
}

function propertiesOf({ inputSchema }: Typed): string[] {
  const properties = inputSchema?.['properties']
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
}

/** What the schema says of fields that are not given. */
function defaultsOf({ inputSchema }: Typed): TypedInput {
  const properties = Object.entries((inputSchema?.['properties'] ?? {}) as Record<string, unknown>)
  const found = properties.flatMap(([name, field]) =>
    typeof field === 'object' && field !== null && 'default' in field ? [[name, field.default as Json]] : [],
  )
  return Object.fromEntries(found) as TypedInput
}

function requiredOf({ inputSchema }: Typed): string[] {
  const required = inputSchema?.['required']
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
}

function valueOf(input: TypedInput, name: string): Json | undefined {
  return Object.hasOwn(input, name) ? input[name] : undefined
}

/** Further lines stand back, so that none of them can look like the label of another field. */
function labelledLine(name: string, value: Json): string {
  const text = textOf(value)
  return text.includes('\n') ? `${name}:\n${text.replaceAll(/^/gm, '  ')}` : `${name}: ${text}`
}

function textOf(value: Json | undefined): string {
  if (value === undefined) return '(not given)'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
