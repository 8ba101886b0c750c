import { OffshootError } from '../core/errors.ts'
import { baseUrl } from './ai-sdk/base-url.ts'
import type { Provider } from './models-and-prices.ts'
import type { Price } from './port.ts'

export type Env = Readonly<Record<string, string | undefined>>

/** Model settings of a configuration file, besides the choice of a model. */
export interface ModelConfig {
  /** Override the environment's, in the same form. */
  readonly baseUrls?: Readonly<Partial<Record<Provider, string>>>
  /** By `provider/model`; override the built-in prices. */
  readonly prices?: Readonly<Record<string, Price>>
}

export interface Endpoint {
  readonly baseUrl?: string
  readonly key?: string
}

const KEYS: Readonly<Partial<Record<Provider, string>>> = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
  google: 'GEMINI_API_KEY',
  'openai-compatible': 'OPENAI_API_KEY',
}

const URLS: Readonly<Record<Provider, { readonly variable: string; readonly form: keyof typeof baseUrl }>> = {
  anthropic: { variable: 'ANTHROPIC_BASE_URL', form: 'anthropic' },
  openai: { variable: 'OPENAI_BASE_URL', form: 'openai' },
  google: { variable: 'GOOGLE_GEMINI_BASE_URL', form: 'google' },
  'openai-compatible': { variable: 'OPENAI_BASE_URL', form: 'openai' },
  ollama: { variable: 'OLLAMA_HOST', form: 'ollama' },
}

/**
 * Address and credentials of a provider, from environment and configuration. @throws OffshootError `key` with the
 * variable's name, `config` for a missing or invalid URL.
 */
export function endpoint(provider: Provider, env: Env, config: ModelConfig = {}): Endpoint {
  const url = endpointUrl(provider, env, config)
  const key = keyOf(provider, env)
  if (key === undefined && provider !== 'openai-compatible' && provider !== 'ollama')
    throw missingKey(provider)
  return { ...(url === undefined ? {} : { baseUrl: url }), ...(key === undefined ? {} : { key }) }
}

/** An empty variable counts as unset. */
export function keyOf(provider: Provider, env: Env): string | undefined {
  const name = KEYS[provider]
  return (name && env[name]?.trim()) || undefined
}

function endpointUrl(provider: Provider, env: Env, config: ModelConfig): string | undefined {
  const { variable, form } = URLS[provider]
  const configured = config.baseUrls?.[provider]
  const value = configured ?? (env[variable]?.trim() || undefined)
  if (value === undefined && provider === 'openai-compatible') throw missingUrl()
  if (value === undefined && provider !== 'ollama') return undefined
  return baseUrl[form](value ?? '', configured === undefined ? variable : `the base URL of ${provider}`)
}

function missingKey(provider: Provider): OffshootError {
  return new OffshootError('key', `${provider} needs a key: ${KEYS[provider]} is not set`, {
    hint: `Set ${KEYS[provider]}, or choose another model with -m (offline needs no key).`,
  })
}

function missingUrl(): OffshootError {
  return new OffshootError('config', 'openai-compatible needs a base URL: OPENAI_BASE_URL is not set', {
    hint: 'Set OPENAI_BASE_URL to the URL of the server, with its version: http://127.0.0.1:8000/v1.',
  })
}
