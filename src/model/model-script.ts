import { fileErrorWords } from '../core/file-error-words.ts'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { z } from 'zod'
import { errorMessage, OffshootError, ProviderError } from '../core/errors.ts'
import { issueWords } from '../core/issue-words.ts'

const count = z.int().min(0)

const pattern = z.string().transform((source, context) => {
  try {
    return new RegExp(source)
  } catch (error) {
    context.addIssue({ code: 'custom', message: errorMessage(error) })
    return z.NEVER
  }
})

const entrySchema = z.strictObject({
  match: z.union([z.instanceof(RegExp), pattern]).optional(),
  text: z.string().optional(),
  toolCalls: z.array(z.strictObject({ tool: z.string(), input: z.json() })).optional(),
  delayMs: count.max(86_400_000).optional(),
  chunks: z.int().min(1).optional(),
  error: z
    .strictObject({
      status: z.int().min(400).max(599),
      retryAfter: z.number().min(0).optional(),
      message: z.string().optional(),
    })
    .optional(),
  finishReason: z.enum(['stop', 'length', 'content-filter', 'tool-calls', 'error', 'other']).optional(),
  rawFinishReason: z.string().optional(),
  usage: z
    .strictObject({ input: count, output: count, cacheRead: count, cacheWrite: count, reasoning: count })
    .partial()
    .optional(),
})

/** One request, for a script function. */
export interface ScriptRequest {
  readonly agent: string
  readonly depth: number
  /** Number of this agent's request, from 1. */
  readonly number: number
  /** Text of the last message from a person or from tools. */
  readonly input: string
  readonly options: LanguageModelV4CallOptions
}

/** Answers each request of an agent. `undefined`: no answer, so the run fails. */
export type ScriptFunction = (
  request: ScriptRequest,
) => ScriptAnswer | undefined | Promise<ScriptAnswer | undefined>

const answersSchema = z.union([
  z.array(entrySchema),
  z.custom<ScriptFunction>((value) => typeof value === 'function'),
])
const scriptSchema = z.strictObject({ agents: z.record(z.string(), answersSchema) })

/** One answer of a scripted model. */
export type ScriptAnswer = z.input<typeof entrySchema>
/** Answers of a scripted model by agent (`*`: any other). A string as the `input` of a call is sent unchanged. */
export type ScriptInput = z.input<typeof scriptSchema>
export type Script = z.infer<typeof scriptSchema>
export type ScriptEntry = z.infer<typeof entrySchema>

/** @throws OffshootError `config` with the source and the field. */
export function parseScript(value: unknown, source: string): Script {
  const parsed = scriptSchema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new OffshootError('config', `${source}: ${firstProblem(parsed.error, value, 'the whole file')}`, {
    hint: 'A script is {"agents": {"NAME or *": [{"text": "..."}, ...]}}; docs/models.md lists the fields.',
  })
}

/** @throws ProviderError for an invalid return value of a script function: a retry would not help. */
export function parseAnswer(value: unknown, source: string): ScriptEntry {
  const parsed = entrySchema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new ProviderError(`${source}: ${firstProblem(parsed.error, value, 'the answer')}`, {
    retryable: false,
    hint: 'Return an object such as {text: "..."}; docs/models.md lists the fields.',
  })
}

function firstProblem(error: z.ZodError, value: unknown, whole: string): string {
  const issue = error.issues[0]!
  // For a list of answers, names the invalid entry rather than the alternatives of the union.
  const inner = issue.code === 'invalid_union' ? issue.errors[0]?.[0] : undefined
  const path = [...issue.path, ...(inner?.path ?? [])]
  return `${path.map(String).join('.') || whole}: ${issueWords({ ...(inner ?? issue), path }, value)}`
}

/**
 * `sha256`: hash of the trusted content; null: untrusted. @throws OffshootError `config` for a missing, unreadable or
 * invalid file, or other content.
 */
export async function readScript(file: string, sha256?: string | null): Promise<Script> {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw new OffshootError('config', `the script ${file} cannot be read: ${fileErrorWords(error)}`, {
      cause: error,
    })
  })
  if (sha256 !== undefined && createHash('sha256').update(bytes).digest('hex') !== sha256)
    throw new OffshootError('config', `the script ${file} changed after it was trusted`, {
      hint: 'Review it, then trust it again: offshoot trust',
    })
  return parseScript(parseJson(bytes.toString('utf8'), file), file)
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new OffshootError('config', `${file} is not JSON: ${errorMessage(error)}`, { cause: error })
  }
}
