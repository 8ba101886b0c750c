import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface CorpusText {
  readonly label: string
  readonly text: string
}

/** The texts of `corpus/NAME.txt`; above each is a line `======== LABEL`. */
export function textsOf(name: string): readonly CorpusText[] {
  const [, ...parts] = readFileSync(join(import.meta.dirname, 'corpus', `${name}.txt`), 'utf8').split(
    /^={8} /m,
  )
  return parts.map((part) => {
    const end = part.indexOf('\n')
    return { label: part.slice(0, end).trim(), text: part.slice(end + 1) }
  })
}

/** The rows of a JSON Lines file; `path` starts at the root of the repository. */
export function rowsOf<T>(path: string): readonly T[] {
  return readFileSync(join(import.meta.dirname, '../..', path), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T)
}
