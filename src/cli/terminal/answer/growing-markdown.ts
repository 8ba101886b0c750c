import { markdownLines, readBlocks, type MarkdownStyle } from './markdown-lines.ts'

/** Renders a Markdown text that arrives in pieces, block by block: a block is final when the next one starts. */
export class GrowingMarkdown {
  /** What is not rendered yet. */
  #rest = ''
  /** Read again at this length: a long block is not parsed for each of its lines. */
  #readAt = 0
  #isFirst = true

  /** The lines that are final now, each with a line feed. */
  push(text: string, style: MarkdownStyle): string {
    this.#rest += text
    if (!text.includes('\n') || this.#rest.length < this.#readAt) return ''
    const blocks = readBlocks(this.#rest)
    const open = blocks.findLastIndex(({ type }) => type !== 'space')
    if (open < 1) {
      this.#readAt = this.#rest.length * 1.25
      return ''
    }
    const done = blocks.slice(0, open)
    this.#rest = this.#rest.slice(done.reduce((length, { raw }) => length + raw.length, 0))
    this.#readAt = 0
    return this.#print(markdownLines(done, style))
  }

  /** The rest of it, with the last piece. */
  end(style: MarkdownStyle, text = ''): string {
    const blocks = readBlocks(this.#rest + text)
    this.#rest = ''
    return this.#print(markdownLines(blocks, style))
  }

  #print(lines: readonly string[]): string {
    if (lines.length === 0) return ''
    const gap = this.#isFirst ? '' : '\n'
    this.#isFirst = false
    return gap + lines.map((line) => `${line}\n`).join('')
  }
}
