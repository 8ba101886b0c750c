import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'

/** Beyond this many changed lines a diff says less than the files. */
const MAX_CHANGES = 4_000

/** What changed, as a unified diff; one line instead where that would be very long. */
export function unifiedDiff(name: string, before: string, after: string): string {
  const patch = createTwoFilesPatch(`a/${name}`, `b/${name}`, before, after, undefined, undefined, {
    context: 3,
    headerOptions: FILE_HEADERS_ONLY,
    maxEditLength: MAX_CHANGES,
  })
  return patch?.trimEnd() ?? '(too many changes for a diff)'
}

export interface ChangedLines {
  readonly added: number | null
  readonly removed: number | null
}

/** How many lines a diff adds and removes; null where it was left out. */
export function countChanges(diff: string): ChangedLines {
  const lines = diff.split('\n').slice(2) // without the names of the two files
  if (!diff.startsWith('---')) return diff === '' ? noLines : unknownLines
  return {
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
  }
}

export const noLines: ChangedLines = { added: 0, removed: 0 }
export const unknownLines: ChangedLines = { added: null, removed: null }
