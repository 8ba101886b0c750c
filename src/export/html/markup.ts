import { terminalText } from '../../core/terminal-text.ts'

/** Trusted markup, the only text that enters a page unescaped. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Values allowed in `markup`: false, null and undefined render nothing. */
type Content = string | number | Markup | readonly Markup[] | false | null | undefined

/**
 * Template tag for markup: every string in it is escaped for text and quoted attributes, and control and bidirectional
 * characters become visible. So no content of a conversation can become markup.
 */
export function markup(pieces: TemplateStringsArray, ...contents: readonly Content[]): Markup {
  let text = pieces[0]!
  contents.forEach((content, i) => {
    text += written(content) + pieces[i + 1]!
  })
  return new Markup(text)
}

export const nothing = new Markup('')

function written(content: Content): string {
  if (content === null || content === undefined || content === false) return ''
  if (content instanceof Markup) return content.text
  if (typeof content === 'object') return content.map((each) => each.text).join('')
  return escaped(String(content))
}

function escaped(text: string): string {
  return terminalText(text).replace(/[&<>"']/g, (char) => ENTITIES[char]!)
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
