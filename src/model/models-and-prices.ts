import type { ModelInfo, Price, TokenPrice } from './port.ts'
import { free } from './cost-of-usage.ts'

export const providers = ['anthropic', 'openai', 'google', 'openai-compatible', 'ollama'] as const
export type Provider = (typeof providers)[number]

interface CatalogueEntry {
  readonly window: number
  readonly maxOutput: number
  readonly price: Price
}

/** List prices in US dollars per million tokens: input, output, cache read, cache write (5 minutes). */
function usd(input: number, output: number, cacheRead: number, cacheWrite: number): TokenPrice {
  return { input, output, cacheRead, cacheWrite }
}

const M = 1_000_000
const openai = { window: 1_050_000, maxOutput: 128_000 }
const gemini = { window: 1_048_576, maxOutput: 65_536 }

/** The vendors' price lists of October 2026. Other models work too; their price and context window are unknown. */
export const catalogue: Readonly<Record<string, CatalogueEntry>> = {
  'anthropic/claude-opus-5-5': { window: M, maxOutput: 128_000, price: usd(4, 20, 0.2, 5) },
  'anthropic/claude-opus-5': { window: M, maxOutput: 128_000, price: usd(5, 25, 0.5, 6.25) },
  'anthropic/claude-sonnet-5-5': { window: M, maxOutput: 128_000, price: usd(2, 10, 0.1, 2.5) },
  'anthropic/claude-sonnet-5': { window: M, maxOutput: 128_000, price: usd(2, 10, 0.2, 2.5) },
  'anthropic/claude-haiku-5-5': {
    window: M,
    maxOutput: 128_000,
    price: { ...usd(0.1, 0.5, 0.01, 0.125), long: { overTokens: 100_000, ...usd(0.5, 2.5, 0.05, 0.625) } },
  },
  'anthropic/claude-haiku-4-5': { window: 200_000, maxOutput: 64_000, price: usd(1, 5, 0.1, 1.25) },
  'openai/gpt-6-sol': {
    ...openai,
    price: { ...usd(2, 10, 0.2, 2.5), long: { overTokens: 272_000, ...usd(4, 15, 0.4, 5) } },
  },
  'openai/gpt-6-luna': {
    ...openai,
    price: { ...usd(0.1, 0.5, 0.01, 0.125), long: { overTokens: 272_000, ...usd(0.2, 0.75, 0.02, 0.25) } },
  },
  'google/gemini-3.8-flash': { ...gemini, price: usd(1.5, 7.5, 0.15, 1.5) },
  'google/gemini-3.5-flash-lite': { ...gemini, price: usd(0.3, 2.5, 0.03, 0.3) },
}

/** The model of a provider that is named alone, and the one for small work. The others have whatever is installed. */
export const defaultModels: Readonly<
  Partial<Record<Provider, { readonly main: string; readonly small: string }>>
> = {
  anthropic: { main: 'claude-sonnet-5', small: 'claude-haiku-5-5' },
  openai: { main: 'gpt-6-sol', small: 'gpt-6-luna' },
  google: { main: 'gemini-3.8-flash', small: 'gemini-3.5-flash-lite' },
}

/** Known facts about a model. `prices`: the user's own table, which takes precedence. */
export function modelInfo(id: string, prices: Readonly<Record<string, Price>> = {}): ModelInfo {
  const slash = id.indexOf('/')
  const provider = slash < 0 ? id : id.slice(0, slash)
  const entry = catalogue[id]
  return {
    id,
    provider,
    label: id,
    window: entry?.window ?? null,
    maxOutput: entry?.maxOutput ?? null,
    price: prices[id] ?? entry?.price ?? (provider === 'ollama' ? free : null),
  }
}

/** The model for small tasks: the configured one, else the small one of the same provider, else the same. */
export function smallModel(id: string, configured?: string): string {
  const provider = id.split('/')[0]!
  const small = defaultModels[provider as Provider]?.small
  return configured ?? (small ? `${provider}/${small}` : id)
}
