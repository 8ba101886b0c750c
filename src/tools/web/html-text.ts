import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'
import { HIDDEN } from './hidden-elements.ts'

/**
 * Extracts the text of an HTML page without building a tree: linear in time and memory for any input. Drops scripts,
 * styles and hidden content; blocks become lines.
 */
export function htmlText(html: string): string {
  return tidy(read(html, () => false).text())
}

/** The title of a page, on one line; empty if its start has none. */
export function htmlTitle(html: string): string {
  const title = read(html.slice(0, TITLE_WITHIN), (reader) => reader.hasTitle).title()
  return title.replace(/\s+/g, ' ').trim().slice(0, MAX_TITLE).toWellFormed()
}

const TITLE_WITHIN = 64 * 1024
const MAX_TITLE = 200

/**
 * Uses only the tokenizer: for each end tag, the package's parser searches all open elements, which a hostile page can
 * exploit.
 */
function read(html: string, isDone: (reader: WordReader) => boolean): WordReader {
  const reader = new WordReader(html)
  const tokenizer = new Tokenizer({}, reader)
  for (let at = 0; at < html.length && !isDone(reader); at += PIECE)
    tokenizer.write(html.slice(at, at + PIECE))
  tokenizer.write(' ') // without this call, a truncated tag such as `<p` counts as text
  tokenizer.end()
  return reader
}

const PIECE = 4_096

const nothing = () => {}

class WordReader implements TokenizerCallbacks {
  readonly #html: string
  readonly #text: string[] = []
  #title: string[] | undefined
  /** Destination of text; undefined: dropped. */
  #target: string[] | undefined = this.#text
  #name = ''
  /** The open hidden element, and how many elements of the same name are open inside it. */
  #hidden: string | undefined
  #depth = 0

  constructor(html: string) {
    this.#html = html
  }

  text(): string {
    return this.#text.join('')
  }

  /** The title, from the first element of that name. */
  title(): string {
    return this.#title?.join('') ?? ''
  }

  /** Whether the title has ended. */
  get hasTitle(): boolean {
    return this.#title !== undefined && this.#target !== this.#title
  }

  onopentagname(start: number, end: number): void {
    const name = (this.#name = this.#nameAt(start, end))
    if (this.#hidden !== undefined) {
      if (name === this.#hidden) this.#depth++
    } else if (HIDDEN.has(name)) {
      this.#hidden = name
      this.#depth = 1
      this.#target = name === 'title' && !this.#title ? (this.#title = []) : undefined
    } else this.#text.push(gapOf(name))
  }

  /** Only SVG elements can be self-closing. */
  onselfclosingtag(): void {
    if (this.#name === 'svg') this.#close('svg')
  }

  onclosetag(start: number, end: number): void {
    this.#close(this.#nameAt(start, end))
  }

  ontext(start: number, end: number): void {
    this.#target?.push(this.#html.slice(start, end))
  }

  ontextentity(codePoint: number): void {
    this.#target?.push(String.fromCodePoint(codePoint))
  }

  /** Inside SVG, title and style are ordinary elements. */
  isInForeignContext(): boolean {
    return this.#hidden === 'svg'
  }

  readonly onattribdata = nothing
  readonly onattribend = nothing
  readonly onattribentity = nothing
  readonly onattribname = nothing
  readonly oncdata = nothing
  readonly oncomment = nothing
  readonly ondeclaration = nothing
  readonly onend = nothing
  readonly onopentagend = nothing
  readonly onprocessinginstruction = nothing

  #nameAt(start: number, end: number): string {
    return this.#html.slice(start, end).toLowerCase()
  }

  #close(name: string): void {
    if (name !== this.#hidden) {
      if (this.#hidden === undefined && !HIDDEN.has(name)) this.#text.push(gapOf(name))
    } else if (--this.#depth === 0) {
      this.#hidden = undefined
      this.#target = this.#text
    }
  }
}

/** The separator of words before and after a tag. */
function gapOf(name: string): string {
  return name === 'td' || name === 'th' ? '\t' : INLINE.has(name) ? '' : '\n'
}

const INLINE: ReadonlySet<string> = new Set(
  `a abbr b bdi bdo big cite code data del dfn em font i img ins kbd label mark q s samp small span strike strong sub sup
  time tt u var wbr`.split(/\s+/),
)

/** Tidies white space within lines, then lines; each pass is linear. */
function tidy(text: string): string {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.replace(/[ \t\f\v\u00a0]+/g, ' ').trim())
  return lines
    .filter((line, index) => line !== '' || (lines[index - 1] ?? '') !== '')
    .join('\n')
    .trim()
}
