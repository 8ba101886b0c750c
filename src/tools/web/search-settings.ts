/** The order of preference if no provider is named. */
export const searchProviders = ['brave', 'exa', 'tavily', 'searxng'] as const
export type SearchProvider = (typeof searchProviders)[number]
export const keyedProviders = ['brave', 'exa', 'tavily'] as const
export type KeyedProvider = (typeof keyedProviders)[number]

/** Search settings. The key is sent only to its provider and shown nowhere. */
export type SearchSettings =
  | { readonly provider: KeyedProvider; readonly key: string }
  | { readonly provider: 'searxng'; readonly url: string }
