import { defaultModels } from './models-and-prices.ts'
import { firstCompatibleModel, firstOllamaModel } from './discover.ts'
import type { Fetch } from './fetch.ts'
import { endpoint, keyOf, type Env, type ModelConfig } from './endpoints-and-keys.ts'

export interface ChooseOptions {
  /** From the command line. */
  readonly flag?: string | undefined
  /** From the configuration: the model and provider settings. */
  readonly config?: (ModelConfig & { readonly model?: string | undefined }) | undefined
  readonly env: Env
  readonly fetch: Fetch
  /** Time limit for a local Ollama to answer. */
  readonly ollamaTimeoutMs?: number
}

export interface Choice {
  readonly id: string
  /** One line for people: the model, and why. */
  readonly why: string
  /** No model was named or found: uses the offline searcher, which is not a language model. */
  readonly isFallback: boolean
}

/**
 * Chooses the model in the order of docs/models.md: the named one, else the first key, a base URL alone, a local Ollama
 * that answers, and the offline searcher. @throws OffshootError `config` if only OPENAI_BASE_URL is set and no model is
 * found there.
 */
export async function chooseModel(options: ChooseOptions): Promise<Choice> {
  const { flag, config, env, fetch, ollamaTimeoutMs = 500 } = options
  if (flag) return { ...choice(flag, ''), why: `model ${flag} (from -m)` }
  if (config?.model) return choice(config.model, 'configured')
  for (const [provider, variable] of BY_KEY) {
    if (keyOf(provider, env))
      return choice(`${provider}/${defaultModels[provider]!.main}`, `${variable} is set`)
  }
  if (env['OPENAI_BASE_URL']?.trim()) {
    const model = await firstCompatibleModel(endpoint('openai-compatible', env, config), fetch)
    return choice(`openai-compatible/${model}`, 'OPENAI_BASE_URL is set, and this is the first model there')
  }
  const ollama = endpoint('ollama', env, config)
  const model = await firstOllamaModel(ollama, fetch, ollamaTimeoutMs)
  if (model) return choice(`ollama/${model}`, 'no key is set, and a local Ollama has it')
  const reason = 'no key is set and no Ollama answers, so a rule-based search answers, not a language model'
  return { ...choice('offline', reason), isFallback: true }
}

const BY_KEY = [
  ['anthropic', 'ANTHROPIC_API_KEY'],
  ['openai', 'OPENAI_API_KEY'],
  ['google', 'GEMINI_API_KEY'],
] as const

function choice(id: string, reason: string): Choice {
  return { id, why: `model ${id}: ${reason}`, isFallback: false }
}
