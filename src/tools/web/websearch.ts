import { workingTools } from '../../core/rules/tool-names.ts'
import { z } from 'zod'
import { defineTool, describeTool, titleLine } from '../define-tool.ts'
import type { AnyTool } from '../port.ts'
import { labelledWeb } from './label-web-text.ts'
import { searchUrl } from './search-provider.ts'
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

/** `websearch {query, limit?}`: results of the configured provider. */
export function websearchTool(settings: SearchSettings, { network, clock }: WebPorts): AnyTool {
  const { host } = searchUrl(settings)
  return defineTool<Input, readonly string[]>({
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
    detail: ({ query }) => `Send to ${settings.provider} (${host}): ${query}`,
    execute: async ({ query, limit = DEFAULT_LIMIT }, { signal, receipt }) => {
      receipt?.({ type: 'host', host })
      const found = await searchWeb(settings, query, limit, { network, clock, signal })
      const { resultLines } = await import('./result-lines.ts') // loaded late: few programs search
      return found.slice(0, limit).flatMap((each) => resultLines(each) ?? [])
    },
    toModelOutput: (results) => ({ text: render(results, settings) }),
  })
}

function render(results: readonly string[], { provider }: SearchSettings): string {
  const numbered = results.map((text, index) => `${index + 1}. ${text}`)
  return labelledWeb('search_results', { provider }, numbered.join('\n') || '(no results)')
}
