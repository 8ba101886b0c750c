import { z } from 'zod'
import type { Sent } from './send-request.ts'
import type { SearchProvider, SearchSettings } from './search-settings.ts'

/** Request and response format of one provider. */
interface Provider {
  readonly url: string
  request(query: string, limit: number, key: string): Sent & { readonly search?: string }
  /** Created on first use. */
  readonly answer: () => z.ZodType<readonly SearchHit[]>
}

export interface SearchHit {
  readonly url: string
  readonly title: string
  readonly text: string
  /** As written by the provider; empty if missing. */
  readonly date: string
}

export interface SearchRequest {
  readonly url: URL
  readonly sent: Sent
  /** Parses the JSON of a response. */
  readonly answer: z.ZodType<readonly SearchHit[]>
}

/** Builds the request for a query; keys appear only in headers. */
export function searchRequest(settings: SearchSettings, query: string, limit: number): SearchRequest {
  const provider = PROVIDERS[settings.provider]
  const key = settings.provider === 'searxng' ? '' : settings.key
  const { search, ...sent } = provider.request(query, limit, key)
  const url = searchUrl(settings)
  if (search !== undefined) url.search = search
  const headers = { 'user-agent': 'Offshoot (websearch)', accept: 'application/json', ...sent.headers }
  return { url, sent: { ...sent, headers }, answer: provider.answer() }
}

/** The provider's address without the query. */
export function searchUrl(settings: SearchSettings): URL {
  if (settings.provider !== 'searxng') return new URL(PROVIDERS[settings.provider].url)
  const url = new URL(settings.url)
  url.pathname = `${url.pathname.replace(/\/+$/, '').replace(/\/search$/, '')}/search`
  url.search = url.hash = ''
  return url
}

const text = z.lazy(() => z.string().nullish().catch(null))

/** Drops incomplete results; each result is validated separately. */
function results(item: z.ZodType<SearchHit>): z.ZodType<readonly SearchHit[]> {
  return z.array(z.unknown()).transform((items) => items.flatMap((each) => item.safeParse(each).data ?? []))
}

function post(body: object, headers: Readonly<Record<string, string>>): Sent {
  const json = { 'content-type': 'application/json', ...headers }
  return { method: 'POST', headers: json, body: JSON.stringify(body) }
}

const brave: Provider = {
  url: 'https://api.search.brave.com/res/v1/web/search',
  request: (query, limit, key) => ({
    method: 'GET',
    headers: { 'x-subscription-token': key },
    search: String(new URLSearchParams({ q: query, count: String(limit), text_decorations: 'false' })),
  }),
  answer: () =>
    z
      .object({
        web: z
          .object({
            results: results(
              z
                .object({ url: z.string(), title: text, description: text, page_age: text })
                .transform(({ url, title, description, page_age }) =>
                  found(url, title, description, page_age),
                ),
            ),
          })
          .nullish(),
      })
      .transform(({ web }) => web?.results ?? []),
}

const exa: Provider = {
  url: 'https://api.exa.ai/search',
  request: (query, limit, key) =>
    post({ query, numResults: limit, contents: { text: { maxCharacters: 600 } } }, { 'x-api-key': key }),
  answer: () =>
    listOf(
      z
        .object({ url: z.string(), title: text, text, publishedDate: text })
        .transform((item) => found(item.url, item.title, item.text, item.publishedDate)),
    ),
}

const tavily: Provider = {
  url: 'https://api.tavily.com/search',
  request: (query, limit, key) => post({ query, max_results: limit }, { authorization: `Bearer ${key}` }),
  answer: () =>
    listOf(
      z
        .object({ url: z.string(), title: text, content: text, published_date: text })
        .transform((item) => found(item.url, item.title, item.content, item.published_date)),
    ),
}

/** The provider cannot limit the number of results, so the excess is dropped here. */
const searxng: Provider = {
  url: '',
  request: (query) => ({
    method: 'GET',
    headers: {},
    search: String(new URLSearchParams({ q: query, format: 'json' })),
  }),
  answer: () =>
    listOf(
      z
        .object({ url: z.string(), title: text, content: text, publishedDate: text })
        .transform((item) => found(item.url, item.title, item.content, item.publishedDate)),
    ),
}

const PROVIDERS: Readonly<Record<SearchProvider, Provider>> = { brave, exa, tavily, searxng }

function listOf(item: z.ZodType<SearchHit>): z.ZodType<readonly SearchHit[]> {
  return z.object({ results: results(item) }).transform((answer) => answer.results)
}

type Text = string | null | undefined

function found(url: string, title: Text, piece: Text, date: Text): SearchHit {
  return { url, title: title ?? '', text: piece ?? '', date: date ?? '' }
}
