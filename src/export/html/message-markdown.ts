import { markup, type Markup } from './markup.ts'

/**
 * A safe subset of Markdown: fences, tables as typed, headings as separate lines, code and strong text. Links stay
 * text: nothing in an export leads elsewhere.
 */
export function prose(text: string): Markup {
  return markup`<div class="prose" dir="auto">${blocks(text).flatMap(block)}</div>`
}

type Kind = 'code' | 'table' | 'heading' | 'text'
interface Block {
  readonly kind: Kind
  readonly lines: string[]
}

function blocks(text: string): Block[] {
  const found: Block[] = []
  let fence: string | undefined
  for (const line of text.replace(/\r\n/g, '\n').split('\n')) {
    if (fence !== undefined) {
      if (isEndOf(fence, line)) fence = undefined
      else found.at(-1)!.lines.push(line)
      continue
    }
    fence = /^ {0,3}(`{3,}|~{3,})[^`]*$/.exec(line)?.[1]
    if (fence === undefined) addLine(found, line)
    else found.push({ kind: 'code', lines: [] })
  }
  return found
}

function isEndOf(fence: string, line: string): boolean {
  const trimmed = line.trim()
  return trimmed.length >= fence.length && trimmed === fence[0]!.repeat(trimmed.length)
}

/** An empty line ends a block; a block of only empty lines is not started. */
function addLine(found: Block[], line: string): void {
  const kind = /^#{1,6} /.test(line) ? 'heading' : line.startsWith('|') ? 'table' : 'text'
  const open = found.at(-1)
  if (line.trim() === '') {
    if (open && (open.kind !== 'text' || open.lines.length > 0)) found.push({ kind: 'text', lines: [] })
  } else if (open?.kind === kind && kind !== 'heading') open.lines.push(line)
  else found.push({ kind, lines: [line] })
}

function block({ kind, lines }: Block): Markup | readonly Markup[] {
  const text = lines.join('\n')
  if (kind === 'code' || kind === 'table') return markup`<pre tabindex="0">${text}</pre>`
  if (lines.length === 0) return []
  return kind === 'heading'
    ? markup`<p class="heading">${inline(text.replace(/^#+ +/, ''))}</p>`
    : markup`<p>${inline(text)}</p>`
}

function inline(text: string): Markup[] {
  const found: Markup[] = []
  let end = 0
  for (const match of text.matchAll(/`([^`\n]+)`|\*\*([^*\n]+)\*\*/g)) {
    const [whole, code, strong] = match
    found.push(markup`${text.slice(end, match.index)}`)
    found.push(code === undefined ? markup`<strong>${strong}</strong>` : markup`<code>${code}</code>`)
    end = match.index + whole.length
  }
  return [...found, markup`${text.slice(end)}`]
}
