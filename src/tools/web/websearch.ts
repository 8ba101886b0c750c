import { workingTools } from '../../core/rules/tool-names.ts'
import { z } from 'zod'
import { defineTool, describeTool, titleLine } from '../define-tool.ts'
import type { AnyTool } from '../port.ts'
import { decodeEntities } from './html-text.ts'
import { labelledWeb } from './label.ts'
import { searchUrl, type Found } from './search-provider.ts'
import type { SearchSettings } from './search-settings.ts'
import { searchWeb } from './search-web.ts'
import type { WebPorts } from './webfetch.ts'

const inputSchema = z.lazy(() =>
  z.object({
    query: z.string().trim().min(1).max(1_000).describe('what to search for'),
    limit: z.int().min(1).max(20).optional().describe('results, 8 by default'),
  }),
)

type Input = z.infer<typeof inputSchema>

const DEFAULT_LIMIT = 8

/** `websearch {query, limit?}`: results of the one provider that is configured. */
export function websearchTool(settings: SearchSettings, { network, clock }: WebPorts): AnyTool {
  const { host } = searchUrl(settings)
  return defineTool<Input, readonly Found[]>({
    name: 'websearch',
    toolset: 'web',
    description: describeTool('web/websearch.txt'),
    inputSchema,
    effects: 'network',
    idempotent: true,
    aliases: workingTools.websearch.aliases,
    inputAliases: {
      q: 'query',
      search: 'query',
      count: 'limit',
      num_results: 'limit',
      max_results: 'limit',
      numResults: 'limit',
    },
    subject: () => [{ kind: 'host', value: `${host}/` }],
    title: ({ query }) => titleLine(`Search the web: ${query}`),
    detail: ({ query }) => `${settings.provider} (${host}) is asked: ${query}`,
    execute: async ({ query, limit = DEFAULT_LIMIT }, { signal, receipt }) => {
      receipt?.({ type: 'host', host })
      return (await searchWeb(settings, query, limit, { network, clock, signal })).slice(0, limit)
    },
    toModelOutput: (found) => ({ text: render(found, settings) }),
  })
}

function render(found: readonly Found[], { provider }: SearchSettings): string {
  const lines = found.flatMap((each) => resultLines(each) ?? [])
  const numbered = lines.map((text, index) => `${index + 1}. ${text}`)
  return labelledWeb('search_results', { provider }, numbered.join('\n') || '(no results)')
}

const MAX_TITLE = 200
const MAX_TEXT = 800

/** null for a result whose address could not be fetched anyway. */
function resultLines({ url, title, text, date }: Found): string | null {
  const address = URL.parse(url)
  if (!address || !['http:', 'https:'].includes(address.protocol) || address.href.length > 2_000) return null
  const head = `${plain(title, MAX_TITLE) || address.host}${/^\d{4}-\d\d-\d\d/.test(date) ? ` (${date.slice(0, 10)})` : ''}`
  return [head, address.href, plain(text, MAX_TEXT)].filter((line) => line !== '').join('\n   ')
}

/** Providers mark words with tags, and write entities. */
function plain(text: string, max: number): string {
  const shown = decodeEntities(text.slice(0, max * 4).replace(/<\/?[a-z][a-z0-9]*(?:\s[^<>]*)?>/gi, ''))
  const line = shown.replace(/\s+/g, ' ').trim()
  return line.length > max ? `${line.slice(0, max - 1)}…`.toWellFormed() : line.toWellFormed()
}
