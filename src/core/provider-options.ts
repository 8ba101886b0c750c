import { z } from 'zod'
import type { Json } from './json.ts'
import { nearestName } from './nearest-name.ts'
import { once } from './once.ts'

/** Options of a single provider, keyed by provider. Options missing here are refused. */
export type ProviderOptions = Readonly<Record<string, Readonly<Record<string, Json>>>>

/** None of these changes the price of a token, the destination of a request, or its content. */
const schemas = once(() => {
  const flag = z.boolean()
  const penalty = z.number().min(-2).max(2)
  const seed = z.int()
  const sampling = { seed, frequency_penalty: penalty, presence_penalty: penalty, parallel_tool_calls: flag }
  return {
    anthropic: z.strictObject({
      thinking: z.discriminatedUnion('type', [
        z.strictObject({ type: z.literal('enabled'), budgetTokens: z.int().min(1024) }),
        z.strictObject({ type: z.literal('adaptive') }),
        z.strictObject({ type: z.literal('disabled') }),
      ]),
      disableParallelToolUse: flag,
    }),
    openai: z.strictObject({
      reasoningSummary: z.enum(['auto', 'concise', 'detailed']),
      textVerbosity: z.enum(['low', 'medium', 'high']),
      parallelToolCalls: flag,
    }),
    google: z.strictObject({
      thinkingConfig: z.strictObject({
        thinkingBudget: z.int().min(0).optional(),
        includeThoughts: flag.optional(),
      }),
    }),
    'openai-compatible': z.strictObject({
      ...sampling,
      top_k: z.int().min(0),
      min_p: z.number().min(0).max(1),
      repetition_penalty: z.number().min(0).max(2),
      chat_template_kwargs: z.strictObject({ enable_thinking: flag }),
    }),
    ollama: z.strictObject(sampling),
  }
})

type Provider = keyof ReturnType<typeof schemas>

/** What is wrong with provider options, and what is allowed; undefined: nothing. */
export function providerOptionsProblem(value: unknown): string | undefined {
  if (!isFields(value)) return 'expected options keyed by provider: {"anthropic": {...}}'
  for (const [provider, options] of Object.entries(value)) {
    const problem = problemOf(provider, options)
    if (problem) return problem
  }
  return undefined
}

function problemOf(provider: string, options: unknown): string | undefined {
  const all = schemas()
  if (!Object.hasOwn(all, provider)) {
    const known = Object.keys(all)
    const near = nearestName(provider, known)
    const hint = near ? `did you mean ${near}?` : `known providers: ${known.join(', ')}`
    return `no options are known for the provider ${JSON.stringify(provider.slice(0, 60))}; ${hint}`
  }
  const { shape } = all[provider as Provider]
  const names = Object.keys(shape).join(', ')
  if (!isFields(options)) return `${provider}: expected an object with any of: ${names}`
  for (const [name, value] of Object.entries(options)) {
    const at = `${provider}.${name.slice(0, 60)}`
    if (!Object.hasOwn(shape, name)) return `${at} is not a known option; ${provider} accepts ${names}`
    const parsed = (shape as Readonly<Record<string, z.ZodType>>)[name]!.safeParse(value)
    if (parsed.success) continue
    const { path, message } = parsed.error.issues[0]!
    return `${[at, ...path.map(String)].join('.')}: ${message.replace(/^Invalid input: /, '')}`
  }
  return undefined
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
