import { workingTools } from '../../core/rules/tool-names.ts'
import { z } from 'zod'
import type { Clock } from '../../core/clock.ts'
import { errorMessage } from '../../core/errors.ts'
import { defineTool, describeTool, titleLine } from '../define-tool.ts'
import { ToolError, type AnyTool, type ToolContext } from '../port.ts'
import { decodeBody, contentKindOf, mediaType, shownType } from './content-type.ts'
import { getPage, type Page } from './get-page.ts'
import { labelledWeb } from './label-web-text.ts'
import { markdownOf } from './markdown.ts'
import type { Network } from './network.ts'
import { hostSubject, readPageUrl } from './page-url.ts'

/** Loaded late: few programs read a page. */
const loadHtmlText = () => import('./html-text.ts')

const inputSchema = z.lazy(() =>
  z.object({
    url: z
      .string()
      .min(1)
      .max(8_192)
      .superRefine(checkUrl)
      .describe('the whole address, with http:// or https://'),
    format: z.enum(['markdown', 'text', 'html']).optional().describe('`markdown` by default'),
  }),
)

type Input = z.infer<typeof inputSchema>
type Format = NonNullable<Input['format']>

export interface WebPorts {
  readonly network: Network
  readonly clock: Clock
}

/** The subject of rules. */
const CALL = { name: 'webfetch', toolset: 'web', effects: 'network' } as const

/** `webfetch {url, format?}`: one page of the public web, as text labelled as data. */
export function webfetchTool(ports: WebPorts): AnyTool {
  return defineTool<Input, Fetched>({
    ...CALL,
    description: describeTool('web/webfetch.txt'),
    inputSchema,
    idempotent: true,
    aliases: workingTools.webfetch.aliases,
    inputAliases: { uri: 'url', link: 'url', address: 'url', output_format: 'format' },
    subject: ({ url }) => [hostSubject(readPageUrl(url))],
    title: ({ url }) => titleLine(`Fetch ${shownUrl(url)}`),
    detail: ({ url }) => `GET ${readPageUrl(url).href}`,
    execute: (input, context) => execute(input, context, ports),
    toModelOutput: (fetched) => ({ text: render(fetched) }),
  })
}

/** Refuses an address that cannot be fetched before anyone is asked about it. */
function checkUrl(
  url: string,
  context: { addIssue(issue: { code: 'custom'; message: string }): void },
): void {
  try {
    readPageUrl(url)
  } catch (error) {
    context.addIssue({ code: 'custom', message: errorMessage(error) })
  }
}

/** Shows the normalized URL, so that the person sees the real host. */
function shownUrl(url: string): string {
  try {
    return readPageUrl(url).href
  } catch {
    return url
  }
}

interface Fetched {
  readonly page: Page
  readonly requested: URL
  readonly format: Format
  readonly title: string
  readonly text: string
}

async function execute(input: Input, context: ToolContext, { network, clock }: WebPorts): Promise<Fetched> {
  const { signal } = context
  const requested = readPageUrl(input.url)
  const checkRedirect = (to: URL) => {
    checkAllowed(to, requested, context)
    context.receipt?.({ type: 'host', host: to.host })
  }
  context.receipt?.({ type: 'host', host: requested.host })
  const page = await getPage(requested, { network, clock, signal, checkRedirect })
  const kind = contentKindOf(page.contentType, page.body)
  const source = decodeBody(page.contentType, kind, page.body)
  if (kind === 'text') return { page, requested, format: 'text', title: '', text: source }
  const shown = await convert(source, page.url, input.format ?? 'markdown', { clock, signal })
  const { htmlTitle } = await loadHtmlText()
  return { page, requested, title: htmlTitle(source), ...shown }
}

/**
 * Follows a redirect only if the rules allow its target, or if they ask and a person has just allowed the same host.
 */
function checkAllowed(to: URL, requested: URL, { decide }: ToolContext): void {
  const actionOf = (url: URL) => decide?.(CALL, hostSubject(url)) ?? 'ask'
  const action = actionOf(to)
  if (action === 'allow') return
  if (action === 'ask' && to.host === requested.host && actionOf(requested) === 'ask') return
  const target = to.href.slice(0, 2_000)
  if (action === 'deny') throw new ToolError('denied', `it redirects to ${target}, which the rules deny`)
  throw new ToolError(
    'redirect',
    `it redirects to ${target}, which was not approved with this call`,
    'Call webfetch with that URL; it is decided separately.',
  )
}

async function convert(
  html: string,
  url: URL,
  format: Format,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<{ text: string; format: Format }> {
  if (format === 'html') return { text: html, format }
  const markdown = format === 'markdown' ? await markdownOf({ html, base: url.href }, clock, signal) : null
  if (markdown !== null) return { text: markdown, format }
  const { htmlText } = await loadHtmlText()
  return { text: htmlText(html), format: 'text' }
}

function render({ page, requested, format, title, text }: Fetched): string {
  const facts = {
    url: page.url.href,
    ...(page.url.href !== requested.href && { requested: requested.href }),
    type: shownType(mediaType(page.contentType)),
    bytes: String(page.body.length),
    format,
  }
  const shown = text.trim() === '' ? '(the page has no text)' : text
  return labelledWeb('web_page', facts, title === '' ? shown : `Title: ${title}\n\n${shown}`)
}
