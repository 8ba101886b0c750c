/** `.`, `..` and empty names in a word with a path. */
const UNRESOLVED = /(^|\/)\.\.?\/|\/\.\.?$|[^:/]\/\/|^\/\//

/** Resolves `.`, `..` and `//` in every word of a command line; keeps a leading `./` and words with a `*`. */
export function resolveWords(text: string): string {
  return text
    .split(' ')
    .map((word) => (word.includes('*') ? word : resolveWord(word)))
    .join(' ')
}

/** Lexical only: links are followed when the path is resolved. */
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
