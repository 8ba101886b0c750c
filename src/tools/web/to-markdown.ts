import TurndownService from 'turndown'
import { HIDDEN } from './hidden-elements.ts'

export interface MarkdownTask {
  readonly html: string
  /** Base of relative links. */
  readonly base: string
}

/** The part of a node that is used here. */
interface Element {
  readonly nodeName: string
  readonly parentNode: Element | null
  readonly previousSibling: Element | null
  readonly childNodes: { readonly length: number }
  getAttribute(name: string): string | null
}

/**
 * Converts an HTML page to Markdown with absolute links. The library parses without limits, so this runs in a thread
 * that can be stopped (markdown.ts).
 */
export function toMarkdown(html: string, base: string): string {
  const service = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    hr: '---',
  })
  service.remove((node) => HIDDEN.has((node as Element).nodeName.toLowerCase()))
  service.addRule('links', {
    filter: ['a'],
    replacement: (content, node) => link(content, wholeUrl((node as Element).getAttribute('href'), base)),
  })
  service.addRule('images', {
    filter: ['img'],
    replacement: (_, node) => image(node as Element, base),
  })
  service.addRule('cells', { filter: ['td', 'th'], replacement: (content) => ` ${oneLine(content)} |` })
  service.addRule('sections', { filter: ['thead', 'tbody', 'tfoot'], replacement: (content) => content })
  service.addRule('rows', { filter: ['tr'], replacement: (content, node) => row(content, node as Element) })
  return service.turndown(html).trim()
}

/** A link that does not lead to a page becomes plain text. */
function link(content: string, url: string | null): string {
  const text = content.trim()
  return url === null || text === '' ? content : `[${text}](${url})`
}

function image(node: Element, base: string): string {
  const alt = oneLine(node.getAttribute('alt') ?? '')
  const url = wholeUrl(node.getAttribute('src'), base)
  return alt === '' || url === null ? alt : `![${alt.replace(/[[\]]/g, '\\$&')}](${url})`
}

const MAX_URL = 2_000

function wholeUrl(href: string | null, base: string): string | null {
  const url = href ? URL.parse(href, base) : null
  if (!url || !['http:', 'https:', 'mailto:'].includes(url.protocol)) return null
  return url.href.length > MAX_URL
    ? null
    : url.href.replace(/[()]/g, (sign) => (sign === '(' ? '%28' : '%29'))
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** Adds the delimiter row after a table's first row, which Markdown requires. */
function row(content: string, node: Element): string {
  if (content.trim() === '') return ''
  const line = `\n|${content}`
  if (!isFirstRow(node)) return line
  return `${line}\n|${' --- |'.repeat(line.split(' |').length - 1)}`
}

function isFirstRow({ previousSibling, parentNode }: Element): boolean {
  const isHead = parentNode?.nodeName === 'THEAD'
  return previousSibling === null && (isHead || !parentNode?.previousSibling)
}
