import { lexer, type MarkedToken, type Token, type Tokens } from 'marked'
import { terminalText } from '../../../core/terminal-text.ts'
import { padToWidth, widthOf } from '../progress/text-width.ts'
import { wrapWords, type AnswerLook, type AnswerPiece, type Paint } from './wrap-words.ts'

export interface MarkdownStyle {
  readonly columns: number
  readonly paint: Paint
  /** Masks secrets: Markdown can spell one so that only what is drawn has its form. */
  readonly clean: (text: string) => string
}

/** Deeper quotes and lists, and what is left of a narrow terminal, keep this many columns. */
const MIN_COLUMNS = 20

/** Longer blocks are printed as they are: a parser may take long over them. */
const MAX_CHARS = 64 * 1024

/** The blocks of a Markdown text. Together their `raw` is the text; otherwise the text is one block. */
export function readBlocks(text: string): readonly Token[] {
  const whole: Token = { type: 'html', raw: text, text }
  if (text.length > MAX_CHARS) return [whole]
  try {
    const blocks = lexer(text, { gfm: true })
    return blocks.map(({ raw }) => raw).join('') === text ? blocks : [whole]
  } catch {
    return [whole] // too deeply nested for the parser
  }
}

/**
 * Blocks as lines for a terminal. The only control characters in the lines are those of `paint`: the parser turns
 * references such as `&#27;` into characters, so its output is cleaned, not only its input. Nothing is hidden: links show their address, and what has no form of its own here is shown as it was written.
 */
export function markdownLines(blocks: readonly Token[], style: MarkdownStyle): string[] {
  return joined(
    blocks.filter(({ type }) => type !== 'space').map((block) => blockLines(block as MarkedToken, style)),
    true,
  )
}

/** `loose`: with an empty line between blocks. */
function joined(blocks: readonly (readonly string[])[], loose: boolean): string[] {
  return blocks.flatMap((lines, i) => (i > 0 && loose ? ['', ...lines] : lines))
}

function blockLines(block: MarkedToken, style: MarkdownStyle): string[] {
  const { paint, columns } = style
  switch (block.type) {
    case 'heading':
      return wrapWords(shown(block.tokens, ['bold'], style), columns, paint)
    case 'paragraph':
      return wrapWords(shown(block.tokens, [], style), columns, paint)
    case 'text':
      return wrapWords(shown(block.tokens ?? [block], [], style), columns, paint)
    case 'code':
      return style
        .clean(terminalText(block.text))
        .split('\n')
        .map((line) => (line === '' ? '' : `    ${paint(line, ['cyan'])}`))
    case 'blockquote':
      return indented(markdownLines(block.tokens, inner(style, 2)), '│ ')
    case 'list':
      return joined(
        block.items.map((item, i) => itemLines(item, markOf(block, item, i), style)),
        block.loose,
      )
    case 'table':
      return tableLines(block, style)
    case 'hr':
      return ['─'.repeat(Math.min(columns, MIN_COLUMNS))]
    default:
      return terminalText(block.raw).replace(/\n+$/, '').split('\n')
  }
}

function inner(style: MarkdownStyle, indent: number): MarkdownStyle {
  return { ...style, columns: Math.max(MIN_COLUMNS, style.columns - indent) }
}

function indented(lines: readonly string[], first: string, rest = first): string[] {
  return lines.map((line, i) => ((i === 0 ? first : rest) + line).trimEnd())
}

function markOf({ ordered, start }: Tokens.List, { task, checked }: Tokens.ListItem, i: number): string {
  const box = task ? (checked ? '☑ ' : '☐ ') : ''
  if (ordered) return `${Number(start) + i}. ${box}`
  return box === '' ? '• ' : box
}

function itemLines(item: Tokens.ListItem, mark: string, style: MarkdownStyle): string[] {
  const blocks = item.tokens.filter(({ type }) => type !== 'space' && type !== 'checkbox') as MarkedToken[]
  const within = inner(style, mark.length)
  const lines = joined(
    blocks.map((block) => blockLines(block, within)),
    item.loose,
  )
  return indented(lines.length > 0 ? lines : [''], mark, ' '.repeat(mark.length))
}

/** With columns side by side where they fit, else each row as a list of its cells. */
function tableLines({ header, rows }: Tokens.Table, style: MarkdownStyle): string[] {
  const { columns, paint } = style
  const plain = ({ tokens }: Tokens.TableCell) => textOfPieces(shown(tokens, [], style))
  const table = [header, ...rows].map((row) => row.map(plain))
  const widths = header.map((_, at) => Math.max(...table.map((row) => widthOf(row[at] ?? ''))))
  const total = widths.reduce((sum, width) => sum + width + 2, -2)
  if (total <= columns) {
    const line = (cells: readonly string[]) =>
      cells.map((cell, at) => padToWidth(cell, widths[at]!)).join('  ')
    const [head = [], ...body] = table
    const rule = widths.map((width) => '─'.repeat(width))
    return [paint(line(head), ['bold']), line(rule), ...body.map(line)].map((each) => each.trimEnd())
  }
  const cell = (row: readonly Tokens.TableCell[], at: number) => {
    const name: AnswerPiece = { text: `${table[0]![at]}: `, looks: ['bold'] }
    return wrapWords([name, ...shown(row[at]?.tokens ?? [], [], style)], columns, paint)
  }
  return joined(
    rows.map((row) => header.flatMap((_, at) => cell(row, at))),
    true,
  )
}

function textOfPieces(pieces: readonly AnswerPiece[]): string {
  return pieces
    .map(({ text }) => text)
    .join('')
    .replace(/\s+/g, ' ')
}

/** The pieces of a text; in one piece, without looks of its parts, where a secret would be read in them. */
function shown(
  tokens: readonly Token[],
  looks: readonly AnswerLook[],
  { clean }: Pick<MarkdownStyle, 'clean'>,
): AnswerPiece[] {
  const pieces = inline(tokens, looks)
  const text = pieces.map((piece) => piece.text).join('')
  const masked = clean(text)
  return masked === text ? pieces : [{ text: masked, looks }]
}

function inline(tokens: readonly Token[], looks: readonly AnswerLook[]): AnswerPiece[] {
  return tokens
    .flatMap((token) => inlinePieces(token as MarkedToken, looks))
    .map((piece) => ({ ...piece, text: terminalText(piece.text) }))
}

function inlinePieces(token: MarkedToken, looks: readonly AnswerLook[]): AnswerPiece[] {
  switch (token.type) {
    case 'strong':
      return inline(token.tokens, [...looks, 'bold'])
    case 'em':
      return inline(token.tokens, [...looks, 'italic'])
    case 'del':
      return inline(token.tokens, [...looks, 'strikethrough'])
    case 'codespan':
      return [{ text: token.text, looks: [...looks, 'cyan'] }]
    case 'br':
      return [{ text: '\n', looks }]
    case 'checkbox':
      return [] // the mark of its item
    case 'link':
      return [...inline(token.tokens, looks), ...address(token, looks)]
    case 'image':
      return [{ text: token.text, looks }, ...address(token, looks)]
    case 'text':
      return token.tokens ? inline(token.tokens, looks) : [{ text: flowing(token.text), looks }]
    case 'escape':
      return [{ text: token.text, looks }]
    default:
      return [{ text: flowing(token.raw), looks }]
  }
}

/** Where a link leads, unless that is its text. */
function address({ text, href }: Tokens.Link | Tokens.Image, looks: readonly AnswerLook[]): AnswerPiece[] {
  if (text === href || `mailto:${text}` === href) return []
  return [{ text: ` (${href})`, looks: [...looks, 'dim'] }]
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}

function flowing(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ').replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity]!)
}
