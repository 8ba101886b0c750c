import { z } from 'zod'
import { once } from './once.ts'
import { providerOptionsProblem, type ProviderOptions } from './provider-options.ts'

/** How long a provider caches a prompt; the shorter time is its default. */
const promptCaches = ['5m', '1h'] as const
export type PromptCache = (typeof promptCaches)[number]

/** Settings of model requests, for a model, an agent or a run. */
export interface ModelSettings {
  /** Sampling temperature, 0 to 2. */
  readonly temperature?: number | undefined
  /** Nucleus sampling: the share of likely tokens to choose from, 0 to 1. */
  readonly topP?: number | undefined
  /** Most tokens of an answer, including thinking. */
  readonly maxOutputTokens?: number | undefined
  /** Strings that end an answer. */
  readonly stopSequences?: readonly string[] | undefined
  readonly promptCache?: PromptCache | undefined
  /** Provider options, keyed by provider (core/provider-options.ts). */
  readonly providerOptions?: ProviderOptions | undefined
}

export type SettingName = keyof ModelSettings

export const settingNames: readonly SettingName[] = [
  'temperature',
  'topP',
  'maxOutputTokens',
  'stopSequences',
  'promptCache',
  'providerOptions',
]

export const modelSettingsSchema = once(() =>
  z.strictObject({
    temperature: z.number().min(0).max(2).optional().describe('sampling temperature'),
    topP: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe('nucleus sampling: the share of likely tokens to choose from'),
    maxOutputTokens: z.int().min(1).optional().describe('most tokens of an answer, including thinking'),
    stopSequences: z
      .array(z.string().min(1).max(200))
      .min(1)
      .max(16)
      .readonly()
      .optional()
      .describe('strings that end an answer'),
    promptCache: z.enum(promptCaches).optional().describe('how long Claude caches the prompt'),
    providerOptions: (
      z.record(z.string(), z.record(z.string(), z.unknown())) as unknown as z.ZodType<ProviderOptions>
    )
      .superRefine((value, context) => {
        const message = providerOptionsProblem(value)
        if (message) context.addIssue({ code: 'custom', message })
      })
      .optional()
      .describe('provider options, keyed by provider'),
  }),
)

/** The second one's come before the first one's, options of a provider one by one. */
export function mergeSettings(first: ModelSettings, second: ModelSettings): ModelSettings {
  const before = first.providerOptions ?? {}
  const after = second.providerOptions ?? {}
  const names = Object.keys({ ...before, ...after })
  if (names.length === 0) return { ...first, ...second }
  const merged = names.map((name) => [name, { ...before[name], ...after[name] }] as const)
  return { ...first, ...second, providerOptions: Object.fromEntries(merged) }
}
