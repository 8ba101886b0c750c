import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { Provider } from '../models-and-prices.ts'
import type { Fetch } from '../fetch.ts'
import { requireStream } from './require-stream.ts'

export interface ProviderSettings {
  readonly baseUrl?: string
  readonly key?: string
  readonly fetch: Fetch
}

type CreateLanguageModel = (model: string) => LanguageModelV4

/** Loads a provider's package on first use: each adds more than 100 ms to a start. */
export function loadProvider(provider: Provider, settings: ProviderSettings): Promise<CreateLanguageModel> {
  return LOADERS[provider](settings)
}

const LOADERS: Readonly<Record<Provider, (settings: ProviderSettings) => Promise<CreateLanguageModel>>> = {
  async anthropic(settings) {
    dropEmpty('ANTHROPIC_BASE_URL')
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    return createAnthropic(options(settings, 'https://api.anthropic.com/v1'))
  },
  async openai(settings) {
    dropEmpty('OPENAI_BASE_URL')
    const { createOpenAI } = await import('@ai-sdk/openai')
    return createOpenAI(options(settings, 'https://api.openai.com/v1')).responses
  },
  async google(settings) {
    const { createGoogle } = await import('@ai-sdk/google')
    return createGoogle(options(settings, 'https://generativelanguage.googleapis.com/v1beta'))
  },
  'openai-compatible': (settings) => compatible('openai-compatible', settings),
  ollama: (settings) => compatible('ollama', settings),
}

/** The packages create an instance when they load, and an empty variable makes that fail. */
function dropEmpty(variable: string): void {
  if (process.env[variable]?.trim() === '') delete process.env[variable]
}

async function compatible(name: string, settings: ProviderSettings): Promise<CreateLanguageModel> {
  const { ChatModel } = await import('./chat-completions.ts')
  const all = { ...options(settings, 'http://127.0.0.1'), name }
  return (model) => new ChatModel(model, all)
}

/** Always passes the base URL; otherwise the packages would read the environment by their own rules. */
function options({ baseUrl, key, fetch }: ProviderSettings, defaultUrl: string) {
  const apiKey = key === undefined ? {} : { apiKey: key }
  return { baseURL: baseUrl ?? defaultUrl, fetch: requireStream(fetch), ...apiKey }
}
