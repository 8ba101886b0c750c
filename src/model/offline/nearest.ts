import type { Angle } from './angle.ts'
import { cite } from './citation.ts'
import { findingsOf } from './findings.ts'
import { indentOf, lineKind, type LineKind } from './line-kind.ts'
import { DECORATION, overviewCalls } from './overview.ts'
import { baseName, fileKind, testGlob, type FileKind } from './file-kind.ts'
import type { RankedLine } from './rank.ts'
import type { WantedCall } from './search-calls.ts'
import { select, type Finding } from './select.ts'
import type { PastCall } from './prompt-transcript.ts'

/** An answer with fewer lines is filled up, to `FILLED`, with the nearest other places. */
export const ENOUGH = 6
const FILLED = 7

/** What those places are; alone in its row it parts them from what fits the question. */
export const NEAREST_NOTE =
  'Few lines fit the words of the question, so these were not chosen by its words: the nearest places are definitions, entry points, tests and what the project says about itself.'

/** What there is, whatever the question: definitions, entry points, manifests, tests, and any line at all. */
export function nearestCalls(angle: Angle): WantedCall[] {
  const scope = angle.scope === null ? {} : { path: angle.scope }
  const known = (['outline', 'entry', 'overview'] as const).flatMap((kind) =>
    overviewCalls({ ...angle, kind }).filter((call) => call.tool === 'grep'),
  )
  const grep = (pattern: string, rest: Record<string, string | number>): WantedCall => ({
    tool: 'grep',
    input: { pattern, ...scope, ...rest, output_mode: 'content' },
  })
  const tests = angle.kind === 'tests' ? [grep(TEST, { glob: testGlob, limit: 80 })] : []
  return [...tests, ...known, grep(ANY, { limit: 300 })]
}

const TEST = '^\\s*((it|test|describe|suite)(\\.\\w+)*\\(|(async )?(def|fn|func|function|void) \\w*[Tt]est)'
const ANY = '(\\S\\s*){8}'

/** Seen lines by what they are, best first. Copies and neighbours come last: in a tiny project they are all there is. */
export function nearestLines(angle: Angle, calls: readonly PastCall[]): Finding[] {
  const findings = findingsOf(angle, calls)
  const lines = [...findings.seen]
    .filter(([path]) => !findings.refused.has(path))
    .flatMap(([path, seen]) => [...seen].map(([line, text]) => ranked(path, line, text, angle)))
    .toSorted((a, b) => b.score - a.score || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line))
  const everyFile = new Set(findings.seen.keys())
  const spread = select({ ...findings, lines, read: everyFile }, FILLED, FILLED)
  const rest = lines.slice(0, MOST).flatMap((line) => {
    const citation = cite(line)
    return citation ? [{ ...citation, note: '' }] : []
  })
  return distinct([...spread, ...rest]).slice(0, 2 * FILLED)
}

const MOST = 400

function ranked(path: string, line: number, text: string, angle: Angle): RankedLine {
  const kind = lineKind(text, path)
  const file = fileKind(path)
  const entry = /^(index|main|mod|lib|cli)\./.test(baseName(path)) ? 1.2 : 1
  const early = file === 'docs' ? 1 / (1 + line / 40) : 1
  const place = (PLACES[file] * entry * early) / (1 + 0.15 * path.split('/').length)
  return {
    path,
    line,
    text,
    kind,
    score: place * telling(text, kind) * fitness(text, file, angle),
    coverage: 0,
  }
}

const PLACES: Readonly<Record<FileKind, number>> = {
  source: 1,
  built: 0.6,
  config: 0.4,
  docs: 0.4,
  test: 0.35,
  example: 0.3,
  noise: 0.02,
}

function telling(text: string, { type }: LineKind): number {
  if (DECORATION.test(text)) return 0.05
  if (MANIFEST.test(text)) return 1
  if (EXPORT.test(text)) return 1.4
  switch (type) {
    case 'definition':
      return (indentOf(text) === 0 ? 1.2 : 0.7) * (/^\s*(const|let|var)\b[^(]*$/.test(text) ? 0.4 : 1)
    case 'test':
      return 1
    case 'heading':
      return 0.9
    case 'trivial':
      return 0.02
    default:
      return 0.3
  }
}

const MANIFEST = /^\s*"(main|module|bin|exports|types|description|test)"\s*:\s*"/
const EXPORT =
  /^(export\s+(default|async|function|class|const|let|\{)|(module\.)?exports\b.*=|pub |def main|func main)/

/** Where tests are asked for, tests and the command that runs them come before anything else. */
function fitness(text: string, file: FileKind, { kind }: Angle): number {
  if (kind !== 'tests') return 1
  return file === 'test' ? 10 : file === 'config' && /"(\w+:)?test[\w:-]*"\s*:/.test(text) ? 5 : 1
}

function distinct(findings: readonly Finding[]): Finding[] {
  const keys = new Set<string>()
  return findings.filter(({ path, line }) => {
    const key = `${path}:${line}`
    return keys.has(key) ? false : (keys.add(key), true)
  })
}

/**
 * What to show behind the lines that fit, so that there are a few: taken from each list in turn, shown list by list.
 * None where enough lines fit.
 */
export function fillUp(cited: readonly Finding[], lists: readonly (readonly Finding[])[]): Finding[] {
  if (cited.length >= ENOUGH) return []
  const longest = Math.max(0, ...lists.map((list) => list.length))
  const inTurn = Array.from({ length: longest }, (_, i) => lists.flatMap((list) => list.slice(i, i + 1)))
  const chosen = new Set(distinct([...cited, ...inTurn.flat()]).slice(cited.length, FILLED))
  return lists.flatMap((list) => list.filter((finding) => chosen.has(finding)))
}
