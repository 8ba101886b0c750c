import type { JSONSchema7, LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { JsonSchema } from '../core/agent.ts'
import type { ProviderOptions } from '../core/provider-options.ts'
import type { ModelRequest } from './port.ts'

interface AnswerFormat {
  readonly responseFormat: NonNullable<LanguageModelV4CallOptions['responseFormat']>
  readonly providerOptions: ProviderOptions
}

/**
 * How to ask a provider for an answer that matches a schema; undefined if it cannot, if its package would use a tool for
 * it, or if the model could not call tools first: then only the instructions contain the schema.
 */
export function answerFormat(
  { provider, modelId }: Pick<LanguageModelV4, 'provider' | 'modelId'>,
  { answerSchema, tools, callsFirst }: Pick<ModelRequest, 'answerSchema' | 'tools' | 'callsFirst'>,
): AnswerFormat | undefined {
  const native = Object.values(NATIVE).find(({ is }) => is.test(provider))
  if (!answerSchema || !native || !isClosed(answerSchema)) return undefined
  const takes = callsFirst ? native.besideCalls : native.besideTools
  if (tools.length > 0 && !takes.test(modelId)) return undefined
  const schema = answerSchema as JSONSchema7
  return {
    responseFormat: { type: 'json', name: 'report', schema },
    providerOptions: native.providerOptions ?? {},
  }
}

interface Native {
  /** The provider name of a model. */
  readonly is: RegExp
  /** Models that accept it together with tools, whether or not they can then call one. */
  readonly besideTools: RegExp
  /** Models that still call tools then. */
  readonly besideCalls: RegExp
  readonly providerOptions?: ProviderOptions
}

const ALL = /^/
const NONE = /(?!)/
const GEMINI_3 = /gemini-([3-9]|\d\d)/

/** By the name of the model, because other servers speak these protocols too: vLLM calls no tool beside a schema. */
const NATIVE: Readonly<Record<string, Native>> = {
  anthropic: {
    is: /^anthropic(\.|$)/,
    besideTools: ALL,
    besideCalls: /claude-/,
    providerOptions: { anthropic: { structuredOutputMode: 'outputFormat' } },
  },
  openai: {
    is: /^(openai|azure)(-openai)?\.responses$/,
    besideTools: ALL,
    besideCalls: /^(ft:)?(gpt-\d|chatgpt-|o\d)/,
    providerOptions: { openai: { strictJsonSchema: true } },
  },
  google: { is: /^google\./, besideTools: GEMINI_3, besideCalls: GEMINI_3 },
  chat: { is: /^(openai-compatible|ollama)\.chat$/, besideTools: ALL, besideCalls: NONE },
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
