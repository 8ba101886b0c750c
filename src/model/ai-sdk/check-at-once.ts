import type { LanguageModelV4 } from '@ai-sdk/provider'

/**
 * The package for OpenAI-compatible servers checks each event of an answer as if its schema could wait for something,
 * which costs more than all else that is done for the event. Here the same schema gives its verdict at once, and is not
 * asked about a piece of text, of which there are hundreds in an answer. Where a model has no such schema, it is left as
 * it is.
 */
export function checkAtOnce(model: LanguageModelV4): LanguageModelV4 {
  const owner = model as { chunkSchema?: unknown }
  const schema = owner.chunkSchema
  if (!isSchema(schema)) return model
  const validate = (value: unknown): Verdict => {
    if (isPieceOfText(value)) return { success: true, value }
    const { success, data, error } = schema.safeParse(value)
    return success ? { success, value: data } : { success, error }
  }
  owner.chunkSchema = () => ({ validate })
  return model
}

/** Nothing but text, and nothing that the schema would change or refuse. */
export function isPieceOfText(value: unknown): boolean {
  if (!isFields(value) || !hasOnly(value, OF_CHUNK) || !Array.isArray(value['choices'])) return false
  const [choice] = value['choices'] as readonly unknown[]
  if (value['choices'].length !== 1 || !isFields(choice) || !hasOnly(choice, OF_CHOICE)) return false
  return isFields(choice['delta']) && hasOnly(choice['delta'], OF_DELTA)
}

type Checks = Readonly<Record<string, (value: unknown) => boolean>>

const isText = (value: unknown) => typeof value === 'string' || isNothing(value)
const isNothing = (value: unknown) => value === null || value === undefined
const isAnything = () => true

/** What is in each, by its name; where a name is not here, the schema is asked. */
const OF_CHUNK: Checks = {
  id: isText,
  object: isAnything,
  created: (value) => Number.isFinite(value) || isNothing(value),
  model: isText,
  system_fingerprint: isAnything,
  service_tier: isAnything,
  choices: Array.isArray,
  usage: isNothing,
}
const OF_CHOICE: Checks = {
  index: isAnything,
  delta: isFields,
  logprobs: isAnything,
  finish_reason: isText,
}
const OF_DELTA: Checks = {
  role: (value) => value === 'assistant' || value === '' || isNothing(value),
  content: isText,
  reasoning: isText,
  reasoning_content: isText,
}

function hasOnly(fields: Readonly<Record<string, unknown>>, checks: Checks): boolean {
  for (const name in fields) if (!Object.hasOwn(checks, name) || !checks[name]!(fields[name])) return false
  return true
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What is used of a zod schema. */
interface Schema {
  safeParse(value: unknown): { readonly success: boolean; readonly data?: unknown; readonly error?: unknown }
}

/** As the packages' own schemas answer. */
type Verdict =
  | { readonly success: boolean; readonly value: unknown }
  | { readonly success: boolean; readonly error: unknown }

function isSchema(schema: unknown): schema is Schema {
  return typeof schema === 'object' && schema !== null && 'safeParse' in schema
}
