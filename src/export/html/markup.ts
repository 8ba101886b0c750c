import { terminalText } from '../../core/terminal-text.ts'

/** Text that is markup already. Nothing else comes into a page as it is. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** What may stand between the pieces of `markup`: false, null and undefined are nothing. */
type Content = string | number | Markup | readonly Markup[] | false | null | undefined

/**
 * Markup of a template: every string in it is escaped, for text and for a quoted attribute alike, and its control and
 * direction characters are shown as pictures. So nothing that was said can become markup, wherever it is put.
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
