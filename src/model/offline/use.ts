import type { BlockLine } from './block.ts'
import { stemsIn } from './stem.ts'
import { namesTerm, type Term } from './term.ts'

/** Whether a line uses what the terms name, rather than defines, declares, exports or explains it. */
export function isUse(
  { text, kind }: BlockLine,
  next: BlockLine | undefined,
  terms: readonly Term[],
): boolean {
  if (kind.type === 'comment' || kind.type === 'heading' || EXPORT.test(text)) return false
  if (kind.type === 'definition' && definesAll(kind.name, terms)) return false
  const declared = DECLARED.exec(text) ?? (PARAMETER.test(next?.text ?? '') ? OPENED.exec(text) : null)
  if (declared && definesAll(declared[1] ?? declared[2]!, terms)) return false
  const words = new Set(stemsIn(text))
  return terms.some(
    (term) => term.telling && (isName(term) ? text.includes(term.exact!) : namesTerm(words, term)),
  )
}

/** Whether a definition's name says all that the question names. */
export function definesAll(name: string, terms: readonly Term[]): boolean {
  const words = new Set(stemsIn(name))
  const telling = terms.filter((term) => term.telling)
  return telling.length > 0 && telling.every((term) => namesTerm(words, term))
}

function isName({ exact }: Term): boolean {
  return exact !== null && /^[\w$]+$/.test(exact)
}

/** What only passes a name on. */
const EXPORT = /^\s*(?:export\s*[{*]|export default [\w$]+;?$|module\.exports\s*=\s*(?:\{|[\w$]+;?$))/
const MODIFIER = '(?:(?:public|private|protected|static|async|override|abstract|readonly|declare)\\s+)'
/** A signature without a body, or one that continues on the next lines. */
const DECLARED = new RegExp(
  `^\\s*(?:${MODIFIER}+([\\w$]+)\\s*[<(]|${MODIFIER}*([\\w$]+)\\??(?:<[^>]*>)?\\([^()]*\\)\\s*:\\s*[\\w$][^(){}=]*;?$)`,
)
const OPENED = /^\s*([\w$]+)\??(?:<[^>]*>)?\($/
const PARAMETER = /^\s*(?:readonly )?(?:\.\.\.)?[\w$]+\??:\s*\S/
