import type { PastCall } from './prompt-transcript.ts'

/** Lines of files exactly as a tool showed them: only these are ever cited. */
export type SeenLines = ReadonlyMap<string, ReadonlyMap<number, string>>

/** Collects the lines of greps and reads. Later calls replace earlier ones, because a file may have changed. */
export function seenLines(calls: readonly PastCall[]): SeenLines {
  const seen = new Map<string, Map<number, string>>()
  for (const call of calls) {
    for (const { path, line, text } of linesOf(call)) {
      let file = seen.get(path)
      if (!file) seen.set(path, (file = new Map()))
      file.set(line, text)
    }
  }
  return seen
}

export interface SeenLine {
  readonly path: string
  readonly line: number
  readonly text: string
}

export function linesOf(call: PastCall): SeenLine[] {
  if (call.failed) return []
  if (call.tool === 'grep') return grepLines(call)
  return call.tool === 'read' ? readLines(call) : []
}

/** Files that were read, and unreadable ones: search results for these are not trusted. */
export function readFiles(calls: readonly PastCall[]): {
  readonly read: ReadonlySet<string>
  readonly refused: ReadonlySet<string>
} {
  const read = new Set<string>()
  const refused = new Set<string>()
  for (const call of calls) {
    const path = call.input['file_path']
    if (call.tool !== 'read' || typeof path !== 'string') continue
    if (linesOf(call).length > 0) read.add(path)
    else refused.add(path)
  }
  return { read, refused }
}

/** `path: count` rows of a counting grep. */
export function countsOf(call: PastCall): Map<string, number> {
  const counts = new Map<string, number>()
  if (call.failed) return counts
  for (const row of wholeRows(call.output).rows) {
    const match = /^(.+):\s*(\d+)$/.exec(row)
    if (match) counts.set(cleanPath(match[1]!), Number(match[2]))
  }
  return counts
}

/** The paths of a glob or list result, one per row. */
export function pathsOf(call: PastCall): string[] {
  if (call.failed) return []
  return wholeRows(call.output)
    .rows.map((row) => row.trim())
    .filter((row) => row !== '' && !/\s{2}|^[([]|:$|\.\.\.|…/.test(row) && row.length < 400)
    .map(cleanPath)
}

function grepLines(call: PastCall): SeenLine[] {
  if (call.input['output_mode'] !== undefined && call.input['output_mode'] !== 'content') return []
  const found: SeenLine[] = []
  for (const row of wholeRows(call.output).rows) {
    const match = /^([^:\n]+):(\d+):(.*)$/.exec(row)
    if (!match || /^\s*\[Omitted long/.test(match[3]!)) continue
    found.push({
      path: cleanPath(match[1]!),
      line: Number(match[2]),
      text: match[3]!.replace(LONG_LINE, '').replace(/\r$/, ''),
    })
  }
  return found
}

/** ripgrep's mark at the end of a truncated line. */
const LONG_LINE = / \[\.\.\. (?:omitted end of long line|\d+ more match(?:es)?)\]$/

/** Numbered rows, which must be consecutive from the start of the read; others are not lines of the file. */
function readLines(call: PastCall): SeenLine[] {
  const path = call.input['file_path']
  if (typeof path !== 'string') return []
  const offset = call.input['offset']
  let expected = typeof offset === 'number' ? Math.max(1, offset) : 1
  const { rows, cut } = wholeRows(call.output)
  const found: SeenLine[] = []
  for (const row of rows) {
    const match = /^\s*(\d+)(?:\t|→|\||: ?)(.*)$/.exec(row)
    const line = Number(match?.[1])
    if (!match || (cut ? line < expected : line !== expected)) continue
    expected = line + 1
    found.push({ path: cleanPath(path), line, text: match[2]!.replace(/\r$/, '') })
  }
  return found
}

/** Rows of an output without the two that a cut in its middle may have broken. */
function wholeRows(output: string): { rows: string[]; cut: boolean } {
  const rows = output.split('\n')
  const cut = rows.findIndex(isCutMark)
  if (cut < 0) return { rows, cut: false }
  return { rows: [...rows.slice(0, Math.max(0, cut - 1)), ...rows.slice(cut + 2)], cut: true }
}

function isCutMark(row: string): boolean {
  return (
    row.length < 300 &&
    /^\W*(\d[\d,. ]*\s*(more |other )?(bytes|characters|chars|lines|rows)\b.*\b(omitted|left out|cut|truncated|skipped)|(output )?(omitted|truncated|cut)\b)/i.test(
      row,
    )
  )
}

function cleanPath(path: string): string {
  return path.replace(/^\.\//, '')
}
