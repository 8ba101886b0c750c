import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { assumedOutputTokens } from '../core/limits.ts'
import type { ModelSettings } from '../core/model-settings.ts'
import type { ProviderOptions } from '../core/provider-options.ts'

interface About {
  /** The model's longest answer; null: unknown. */
  readonly longest: number | null
  readonly effort: LanguageModelV4CallOptions['reasoning']
}

interface Inside {
  readonly maxOutputTokens?: number | undefined
  readonly providerOptions: ProviderOptions
}

/** Anthropic's minimum of thinking tokens, which an answer needs in addition. */
const LEAST_THINKING = 1_024
const LEAST_TEXT = 256

/** Fraction of the longest answer by effort, for a Claude model with a thinking budget in tokens. */
const SHARES: Readonly<Record<string, number>> = {
  minimal: 0.02,
  low: 0.1,
  medium: 0.3,
  high: 0.6,
  xhigh: 0.8,
  max: 0.9,
}

const IN_TOKENS = /claude-(opus|sonnet|haiku)-4(-[0-5]\b|-2|@|$)|claude-3/

/**
 * The longest answer includes thinking, because a budget counts both. Anthropic's package adds the thinking on top, so
 * it is subtracted before; if nothing would be left for the answer, thinking is off.
 */
export function thinkingInside(
  { provider, modelId }: LanguageModelV4,
  { maxOutputTokens, providerOptions = {} }: ModelSettings,
  { longest, effort }: About,
): Inside {
  const own = providerOptions['anthropic']
  const given = own?.['thinking'] as { readonly type: string; readonly budgetTokens?: number } | undefined
  const total = maxOutputTokens ?? longest ?? assumedOutputTokens
  const share = given || !IN_TOKENS.test(modelId) ? undefined : SHARES[effort ?? '']
  const wanted = given?.type === 'enabled' ? given.budgetTokens : share && Math.floor(total * share)
  if (!wanted || !/(^|\.)anthropic(\.|$)/.test(provider)) return { maxOutputTokens, providerOptions }
  const budgetTokens = Math.min(Math.max(wanted, LEAST_THINKING), total - LEAST_TEXT)
  const isTooShort = budgetTokens < LEAST_THINKING
  const thinking = isTooShort ? { type: 'disabled' } : { type: 'enabled', budgetTokens }
  return {
    maxOutputTokens: isTooShort ? total : total - budgetTokens,
    providerOptions: { ...providerOptions, anthropic: { ...own, thinking } },
  }
}
