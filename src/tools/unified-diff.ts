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
