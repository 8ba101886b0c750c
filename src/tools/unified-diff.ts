import { FILE_HEADERS_ONLY, formatPatch, structuredPatch, type StructuredPatchHunk } from 'diff'

/** With more changed lines, a diff is harder to read than the files. */
const MAX_CHANGES = 4_000

/** The change as a unified diff; a one-line note instead if that would be too long. */
export function unifiedDiff(name: string, before: string, after: string): string {
  return patchOf(name, before, after) ?? '(too many changes for a diff)'
}

/** The complete diff, however long, for the person who approves the change. */
export function wholeDiff(name: string, before: string, after: string): string {
  return patchOf(name, before, after) ?? replacingPatch(name, before, after)
}

/** A diff of excerpts, whose line numbers are unknown: hunks have none. */
export function diffOfPieces(name: string, before: string, after: string): string {
  const lines = wholeDiff(name, before, after).split('\n')
  return lines
    .filter((line) => !line.startsWith(END_MARK))
    .map((line) => (line.startsWith('@@') ? '@@ @@' : line))
    .join('\n')
}

/** `\ No newline at end of file`; no text line of a patch starts with this. */
const END_MARK = '\\'

function patchOf(name: string, before: string, after: string): string | undefined {
  const options = { context: 3, maxEditLength: MAX_CHANGES }
  const patch = structuredPatch(`a/${name}`, `b/${name}`, before, after, undefined, undefined, options)
  if (!patch) return undefined
  const hunks = endsAlike(before, after) ? patch.hunks.map(withoutEndMarks) : patch.hunks
  return formatPatch({ ...patch, hunks }, FILE_HEADERS_ONLY).replace(/\n$/, '')
}

/** Whether the final line feed is unchanged. New and deleted texts have nothing to compare with. */
function endsAlike(before: string, after: string): boolean {
  return before === '' || after === '' || before.endsWith('\n') === after.endsWith('\n')
}

function withoutEndMarks(hunk: StructuredPatchHunk): StructuredPatchHunk {
  return { ...hunk, lines: hunk.lines.filter((line) => !line.startsWith(END_MARK)) }
}

function replacingPatch(name: string, before: string, after: string): string {
  const [old, next] = [linesOf(before), linesOf(after)]
  return [
    `--- a/${name}`,
    `+++ b/${name}`,
    `@@ -${Math.min(1, old.length)},${old.length} +${Math.min(1, next.length)},${next.length} @@`,
    ...old.map((line) => `-${line}`),
    ...next.map((line) => `+${line}`),
  ].join('\n')
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

export interface ChangedLines {
  readonly added: number | null
  readonly removed: number | null
}

/** Counts the lines that a diff adds and removes; null if the diff was left out. */
export function countChanges(diff: string): ChangedLines {
  const lines = diff.split('\n').slice(2) // skips the names of the two files
  if (!diff.startsWith('---')) return diff === '' ? noLines : unknownLines
  return {
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
  }
}

export const noLines: ChangedLines = { added: 0, removed: 0 }
export const unknownLines: ChangedLines = { added: null, removed: null }
