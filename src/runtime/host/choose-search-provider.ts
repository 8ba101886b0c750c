import { searchProviders, type KeyedProvider, type SearchSettings } from '../../tools/web/search-settings.ts'
import type { Config } from '../../config/config-schema.ts'
import type { Env } from '../../config/homes.ts'

export interface SearchChoice {
  /** Absent: no search provider, so `websearch` is not offered. */
  readonly settings?: SearchSettings
  /** The chosen provider and its source, or why there is none; never contains a key. */
  readonly why: string
  /** The configured provider cannot be used. */
  readonly broken?: true
}

type Provider = SearchSettings['provider']

const VARIABLES: Readonly<Record<Provider, string>> = {
  brave: 'BRAVE_API_KEY',
  exa: 'EXA_API_KEY',
  tavily: 'TAVILY_API_KEY',
  searxng: 'SEARXNG_URL',
}

/** The configured provider, else the first with a key or a URL. Makes no request. */
export function chooseSearch({ search }: Config, env: Env): SearchChoice {
  const { provider } = search
  if (provider === undefined) return firstFound(search, env)
  return settingsOf(provider, search, env) ?? missing(provider)
}

function firstFound(search: Config['search'], env: Env): SearchChoice {
  for (const provider of searchProviders) {
    const found = settingsOf(provider, search, env)
    if (found) return found
  }
  return { why: `none is configured (search.provider, ${Object.values(VARIABLES).join(', ')})` }
}

function settingsOf(provider: Provider, search: Config['search'], env: Env): SearchChoice | undefined {
  const own = provider === 'searxng' ? search.url : search.keys[provider]
  const variable = VARIABLES[provider]
  const value = own?.trim() || env[variable]?.trim()
  if (!value) return undefined
  const said = own?.trim() ? (provider === 'searxng' ? 'search.url' : `search.keys.${provider}`) : variable
  const why = `${provider}, by ${said}`
  if (isKeyed(provider))
    return /^[\x21-\x7e]+$/.test(value)
      ? { settings: { provider, key: value }, why }
      : { why: `${provider} is not used: ${said} is not a key`, broken: true }
  return isWebUrl(value)
    ? { settings: { provider, url: value }, why }
    : { why: `searxng is not used: ${said} is not an http or https URL`, broken: true }
}

function isKeyed(provider: Provider): provider is KeyedProvider {
  return provider !== 'searxng'
}

function isWebUrl(text: string): boolean {
  const protocol = URL.parse(text)?.protocol
  return protocol === 'http:' || protocol === 'https:'
}

function missing(provider: Provider): SearchChoice {
  const what = provider === 'searxng' ? 'search.url' : `search.keys.${provider}`
  return { why: `${provider} is not used: neither ${what} nor ${VARIABLES[provider]} is set`, broken: true }
}
