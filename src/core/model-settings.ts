import { z } from 'zod'
import { once } from './once.ts'
import { providerOptionsProblem, type ProviderOptions } from './provider-options.ts'

/** How long a provider keeps what it has read; the shorter one is its default. */
const promptCaches = ['5m', '1h'] as const
export type PromptCache = (typeof promptCaches)[number]

/** How a model is asked: of a model, an agent or a run. */
export interface ModelSettings {
  /** How varied its answers are, from 0 to 2. */
  readonly temperature?: number | undefined
  /** From which part of the likely words it chooses, from 0 to 1. */
  readonly topP?: number | undefined
  /** The longest answer in tokens, thinking included. */
  readonly maxOutputTokens?: number | undefined
  /** Texts at which an answer ends. */
  readonly stopSequences?: readonly string[] | undefined
  readonly promptCache?: PromptCache | undefined
  /** Options of one provider, by its name (core/provider-options.ts). */
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
    temperature: z.number().min(0).max(2).optional().describe('how varied its answers are'),
    topP: z.number().min(0).max(1).optional().describe('from which part of the likely words it chooses'),
    maxOutputTokens: z.int().min(1).optional().describe('the longest answer, thinking included, in tokens'),
    stopSequences: z
      .array(z.string().min(1).max(200))
      .min(1)
      .max(16)
      .readonly()
      .optional()
      .describe('texts at which an answer ends'),
    promptCache: z.enum(promptCaches).optional().describe('how long Claude keeps what it has read'),
    providerOptions: (
      z.record(z.string(), z.record(z.string(), z.unknown())) as unknown as z.ZodType<ProviderOptions>
    )
      .superRefine((value, context) => {
        const message = providerOptionsProblem(value)
        if (message) context.addIssue({ code: 'custom', message })
      })
      .optional()
      .describe('options of one provider, by its name'),
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
