import { JSONParseError, TypeValidationError } from '@ai-sdk/provider'

/** The fields of a chat completion event that are used. */
export interface ChatChunk {
  /** Only the first is used: requests ask for one choice. */
  readonly choices: readonly { readonly delta?: ChatDelta | null; readonly finish_reason?: string | null }[]
  readonly usage?: ChatUsage | null
}

export interface ChatDelta {
  /** A text, or parts of text and reasoning. */
  readonly content?: string | readonly ContentPart[] | null
  readonly refusal?: string | null
  readonly reasoning?: string | null
  /** The same under another name. */
  readonly reasoning_content?: string | null
  readonly tool_calls?: readonly CallDelta[] | null
}

export interface ContentPart {
  readonly type: string
  readonly text?: unknown
  readonly thinking?: unknown
}

export interface CallDelta {
  readonly index?: number | null
  readonly id?: string | null
  readonly function: { readonly name?: string | null; readonly arguments?: string | null }
  readonly extra_content?: { readonly google?: { readonly thought_signature?: string | null } | null } | null
}

export interface ChatUsage {
  readonly prompt_tokens?: number | null
  readonly completion_tokens?: number | null
  readonly prompt_tokens_details?: { readonly cached_tokens?: number | null } | null
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number | null } | null
}

/** The part of a zod schema that is used. */
export interface ChunkSchema {
  safeParse(value: unknown): { readonly success: boolean; readonly data?: unknown; readonly error?: unknown }
}

export type ChunkRead = { readonly chunk: ChatChunk } | { readonly error: unknown }

/**
 * Parses one event: its data, a JSONParseError, a TypeValidationError, or the server's error. Plain chunks, which are
 * nearly all of an answer, skip the schema, because that would cost more than everything else.
 */
export function readChunk(data: string, schema: ChunkSchema): ChunkRead {
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch (cause) {
    return { error: new JSONParseError({ text: data, cause }) }
  }
  if (isPlainChunk(value)) return { chunk: value }
  const { success, data: chunk, error: cause } = schema.safeParse(value)
  if (!success) return { error: saidBy(value) ?? TypeValidationError.wrap({ value, cause }) }
  const { error } = chunk as { readonly error?: unknown }
  return error === undefined || error === null ? { chunk: chunk as ChatChunk } : { error }
}

/** Some servers send the error as a plain string. */
function saidBy(value: unknown): { readonly message: string } | undefined {
  const error = isFields(value) ? value['error'] : undefined
  return typeof error === 'string' ? { message: error } : undefined
}

/** Text, calls and figures in the usual form, which the schema would neither change nor refuse. */
export function isPlainChunk(value: unknown): value is ChatChunk {
  return isFields(value) && 'choices' in value && hasOnly(value, OF_CHUNK)
}

type Check = (value: unknown) => boolean
type Checks = Readonly<Record<string, Check>>

const isNothing: Check = (value) => value === null || value === undefined
const isText: Check = (value) => typeof value === 'string' || isNothing(value)
const isNumber: Check = (value) => Number.isFinite(value) || isNothing(value)
const isAnything: Check = () => true
/** Its fields have the expected types; others may be present. */
const someOf =
  (checks: Checks): Check =>
  (value) =>
    isNothing(value) || (isFields(value) && Object.keys(checks).every((name) => checks[name]!(value[name])))

/** Validators by field name; for other names, the schema is used. */
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
