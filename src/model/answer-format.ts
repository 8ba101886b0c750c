import type { JSONSchema7, LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { JsonSchema } from '../core/agent.ts'
import type { ProviderOptions } from '../core/provider-options.ts'
import type { ModelRequest } from './port.ts'

interface AnswerFormat {
  readonly responseFormat: NonNullable<LanguageModelV4CallOptions['responseFormat']>
  readonly providerOptions: ProviderOptions
}

/**
 * How a provider is told that the text of an answer has to be a value of a schema; undefined where it cannot be, or where
 * its package would make a tool of it: then the schema stands in the instructions alone.
 */
export function answerFormat(
  { provider }: Pick<LanguageModelV4, 'provider'>,
  { answerSchema, tools }: Pick<ModelRequest, 'answerSchema' | 'tools'>,
): AnswerFormat | undefined {
  const options = Object.entries(NATIVE).find(([, { is }]) => is.test(provider))?.[1]
  if (!answerSchema || !options || !isClosed(answerSchema)) return undefined
  if (options.alone && tools.length > 0) return undefined
  const schema = answerSchema as JSONSchema7
  return {
    responseFormat: { type: 'json', name: 'report', schema },
    providerOptions: options.providerOptions ?? {},
  }
}

interface Native {
  /** The provider that a model says it has. */
  readonly is: RegExp
  /** Not beside tools: older models refuse both. */
  readonly alone?: true
  readonly providerOptions?: ProviderOptions
}

const NATIVE: Readonly<Record<string, Native>> = {
  anthropic: {
    is: /^anthropic(\.|$)/,
    providerOptions: { anthropic: { structuredOutputMode: 'outputFormat' } },
  },
  openai: {
    is: /^(openai|azure)(-openai)?\.responses$/,
    providerOptions: { openai: { strictJsonSchema: true } },
  },
  google: { is: /^google\./, alone: true },
  chat: { is: /^(openai-compatible|ollama)\.chat$/ },
}

const KEYWORDS: ReadonlySet<string> = new Set([
  '$schema',
  'additionalProperties',
  'anyOf',
  'const',
  'description',
  'enum',
  'items',
  'maximum',
  'maxItems',
  'minimum',
  'minItems',
  'properties',
  'required',
  'title',
  'type',
])

/** What every provider accepts: an object with exactly the listed fields, all required, at every level. */
function isClosed(schema: JsonSchema): boolean {
  return schema.type === 'object' && schema['anyOf'] === undefined && isClosedNode(schema)
}

function isClosedNode(node: unknown): boolean {
  if (!isFields(node) || !Object.keys(node).every((keyword) => KEYWORDS.has(keyword))) return false
  const { type, properties, required, additionalProperties, items, anyOf } = node
  if (Array.isArray(anyOf)) return anyOf.every(isClosedNode)
  if (type === 'array') return isClosedNode(items)
  if (type !== 'object') return true
  if (!isFields(properties) || additionalProperties !== false || !Array.isArray(required)) return false
  return Object.entries(properties).every(([name, value]) => required.includes(name) && isClosedNode(value))
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
