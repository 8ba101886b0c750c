/** `.`, `..` and empty names in a word that holds a path. */
const UNRESOLVED = /(^|\/)\.\.?\/|\/\.\.?$|[^:/]\/\/|^\/\//

/** A command line with `.`, `..` and `//` resolved in every word; a `./` at the start stays. Words with a `*` stay. */
export function resolveWords(text: string): string {
  return text
    .split(' ')
    .map((word) => (word.includes('*') ? word : resolveWord(word)))
    .join(' ')
}

/** By names alone: where links lead is seen when the path is resolved. */
export function resolveWord(word: string): string {
  if (!UNRESOLVED.test(word)) return word
  const names: string[] = []
  for (const name of word.split('/')) {
    if (name === '..' && names.length > 0 && names.at(-1) !== '..') names.pop()
    else if (name === '..' && word.startsWith('/')) continue
    else if (name !== '' && name !== '.') names.push(name)
  }
  const start = word.startsWith('/') ? '/' : word.startsWith('./') && names[0] !== '..' ? './' : ''
  return start + names.join('/') + (/\/\.{0,2}$/.test(word) && names.length > 0 ? '/' : '')
}
