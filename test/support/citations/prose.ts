import { parseSync, Visitor } from 'rolldown/utils'

/** A stretch of text that people read: a comment, or a part of a Markdown page. */
export interface Prose {
  readonly text: string
  readonly line: number
}

const COMMENTS: Readonly<Record<string, RegExp>> = {
  css: /\/\*[^]*?\*\//g,
  c: /\/\*[^]*?\*\/|\/\/.*/g,
  html: /<!--[^]*?-->/g,
  sql: /--.*/g,
  sh: /(?<=^|\s)#.*/g,
}

/** Scripts without a suffix. */
const SHELL = '.ci/run'

/** The comments of a source file; the whole of a page but its blocks of code. */
export function proseOf(name: string, text: string): Prose[] {
  const suffix = name === SHELL ? 'sh' : name.slice(name.lastIndexOf('.') + 1)
  if (suffix === 'md') return [{ text: withoutCodeBlocks(text), line: 1 }]
  const found = COMMENTS[suffix]
    ? [...text.matchAll(COMMENTS[suffix])].map((match) => ({
        start: match.index,
        end: match.index + match[0].length,
      }))
    : parseSync(name, text).comments
  return found.map(({ start, end }) => ({ text: text.slice(start, end), line: lineAt(text, start) }))
}

/** What a source says to people at a time of its own: its strings, and the fixed parts of its templates. */
export function stringsOf(name: string, text: string): Prose[] {
  const found: Prose[] = []
  const add = (start: number, said: string) => found.push({ text: said, line: lineAt(text, start) })
  new Visitor({
    Literal: ({ start, value }) => typeof value === 'string' && add(start, value),
    TemplateElement: ({ start, value }) => add(start, value.cooked ?? value.raw),
  }).visit(parseSync(name, text).program)
  return found
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

/** Their lines become empty, so that the numbers of all others stay. */
function withoutCodeBlocks(text: string): string {
  return text.replace(/^( *)```[^]*?^\1```/gm, (block) => block.replace(/[^\n]/g, ''))
}
