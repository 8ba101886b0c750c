import type { LanguageModelV4 } from '@ai-sdk/provider'

/**
 * The package for OpenAI-compatible servers checks each event of an answer as if its schema could wait for something,
 * which costs more than all else that is done for the event. Here the same schema gives its verdict at once, and is not
 * asked about a plain chunk, as nearly all of an answer are. Where a model has no such schema, it is left as it is.
 */
export function checkAtOnce(model: LanguageModelV4): LanguageModelV4 {
  const owner = model as { chunkSchema?: unknown }
  const schema = owner.chunkSchema
  if (!isSchema(schema)) return model
  const validate = (value: unknown): Verdict => {
    if (isPlainChunk(value)) return { success: true, value }
    const { success, data, error } = schema.safeParse(value)
    return success ? { success, value: data } : { success, error }
  }
  owner.chunkSchema = () => ({ validate })
  return model
}

/** Text, calls and figures as most servers send them, and nothing that the schema would change or refuse. */
export function isPlainChunk(value: unknown): boolean {
  return isFields(value) && 'choices' in value && hasOnly(value, OF_CHUNK)
}

type Check = (value: unknown) => boolean
type Checks = Readonly<Record<string, Check>>

const isNothing: Check = (value) => value === null || value === undefined
const isText: Check = (value) => typeof value === 'string' || isNothing(value)
const isNumber: Check = (value) => Number.isFinite(value) || isNothing(value)
const isAnything: Check = () => true
/** It has these fields as they are to be, and any others; or it is not there. */
const someOf =
  (checks: Checks): Check =>
  (value) =>
    isNothing(value) || (isFields(value) && Object.keys(checks).every((name) => checks[name]!(value[name])))

/** What is in each, by its name; where a name is not here, the schema is asked. */
const OF_FUNCTION: Checks = { name: isText, arguments: isText }
const OF_CALL: Checks = {
  index: isNumber,
  id: isText,
  type: isAnything,
  function: (value) => isFields(value) && hasOnly(value, OF_FUNCTION),
}
const areCalls: Check = (value) =>
  Array.isArray(value) &&
  value.every((call) => isFields(call) && 'function' in call && hasOnly(call, OF_CALL))
const OF_DELTA: Checks = {
  role: (value) => value === 'assistant' || value === '' || isNothing(value),
  content: isText,
  reasoning: isText,
  reasoning_content: isText,
  tool_calls: (value) => isNothing(value) || areCalls(value),
}
const OF_CHOICE: Checks = {
  index: isAnything,
  delta: (value) => isNothing(value) || (isFields(value) && hasOnly(value, OF_DELTA)),
  logprobs: isAnything,
  finish_reason: isText,
}
const OF_USAGE: Checks = {
  prompt_tokens: isNumber,
  completion_tokens: isNumber,
  total_tokens: isNumber,
  prompt_tokens_details: someOf({ cached_tokens: isNumber }),
  completion_tokens_details: someOf({
    reasoning_tokens: isNumber,
    accepted_prediction_tokens: isNumber,
    rejected_prediction_tokens: isNumber,
  }),
}
const OF_CHUNK: Checks = {
  id: isText,
  object: isAnything,
  created: isNumber,
  model: isText,
  system_fingerprint: isAnything,
  service_tier: isAnything,
  choices: (value) =>
    Array.isArray(value) && value.every((choice) => isFields(choice) && hasOnly(choice, OF_CHOICE)),
  usage: someOf(OF_USAGE),
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
