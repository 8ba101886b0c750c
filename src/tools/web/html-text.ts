/**
 * The text of an HTML page without a parser: in time and memory in proportion to its length, whatever it is. Scripts,
 * styles and what is not shown are left out, blocks become lines.
 */
export function htmlText(html: string): string {
  const parts: string[] = []
  for (let at = 0; at < html.length;) {
    const open = html.indexOf('<', at)
    parts.push(html.slice(at, open < 0 ? html.length : open))
    if (open < 0) break
    const { text, next } = readMarkup(html, open)
    parts.push(text)
    at = next
  }
  return tidy(decodeEntities(parts.join('')))
}

/** The title of a page, on one line; empty where its beginning has none. */
export function htmlTitle(html: string): string {
  const [, title = ''] = /<title(?:\s[^>]{0,200})?>([^<]{1,1000})/i.exec(html.slice(0, TITLE_WITHIN)) ?? []
  return decodeEntities(title).replace(/\s+/g, ' ').trim().slice(0, MAX_TITLE).toWellFormed()
}

const TITLE_WITHIN = 64 * 1024
const MAX_TITLE = 200

interface Markup {
  readonly text: string
  /** Where what comes after it begins. */
  readonly next: number
}

function readMarkup(html: string, at: number): Markup {
  if (html.startsWith('<!--', at)) return { text: '', next: after(html, '-->', at + 4) }
  if (html[at + 1] === '!' || html[at + 1] === '?') return { text: '', next: after(html, '>', at) }
  TAG.lastIndex = at
  const [, slash = '', written] = TAG.exec(html) ?? []
  if (written === undefined) return { text: '<', next: at + 1 }
  const name = written.toLowerCase()
  const end = after(html, '>', at)
  if (HIDDEN.has(name)) return { text: '', next: slash === '' ? afterElement(html, name, end) : end }
  return { text: name === 'td' || name === 'th' ? '\t' : INLINE.has(name) ? '' : '\n', next: end }
}

const TAG = /<(\/?)([a-z][a-z0-9-]{0,40})/iy

function after(html: string, text: string, from: number): number {
  const at = html.indexOf(text, from)
  return at < 0 ? html.length : at + text.length
}

function afterElement(html: string, name: string, from: number): number {
  const close = new RegExp(`</${name}`, 'gi')
  close.lastIndex = from
  const found = close.exec(html)
  return found ? after(html, '>', found.index) : html.length
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

/** Elements whose contents no reader of the page sees. */
export const HIDDEN = words('script style noscript template iframe object svg canvas title')

const INLINE = words(
  'a abbr b bdi bdo big cite code data del dfn em font i img ins kbd label mark q s samp small span strike strong sub sup time tt u var wbr',
)

const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi

/** The commonest names and all numbers. */
export function decodeEntities(text: string): string {
  return text.replace(ENTITY, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMES[name.toLowerCase()] ?? whole
    const code = decimal === undefined ? parseInt(hex!, 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : '\ufffd'
  })
}

const NAMES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  copy: '©',
  reg: '®',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  bull: '•',
  middot: '·',
  rarr: '→',
  larr: '←',
  times: '×',
}

/** First the white space in lines, then lines: each pass goes through the text once. */
function tidy(text: string): string {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.replace(/[ \t\f\v\u00a0]+/g, ' ').trim())
  return lines
    .filter((line, index) => line !== '' || (lines[index - 1] ?? '') !== '')
    .join('\n')
    .trim()
}
