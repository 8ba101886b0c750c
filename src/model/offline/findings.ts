import type { Angle, AngleKind } from './angle.ts'
import { readFiles, seenLines, type SeenLines } from './evidence.ts'
import { rankOverview } from './overview.ts'
import { fileKind } from './file-kind.ts'
import {
  rankFiles,
  rankLines,
  withoutCopies,
  worthOf,
  type RankedLine,
  type TermCounts,
  type Yardstick,
} from './rank.ts'
import { definedNames, isUnnamed, isWanted, filesInQuestion, termCounts } from './count-matches.ts'
import type { PastCall } from './prompt-transcript.ts'

/** What the calls so far say about one angle. */
export interface Findings {
  readonly yardstick: Yardstick
  /** Best first. */
  readonly files: readonly string[]
  readonly lines: readonly RankedLine[]
  /** No file has one of the words themselves: what was found speaks of related ones. */
  readonly loose: boolean
  /** Matching lines by file, one map a term. */
  readonly counts: TermCounts
  readonly seen: SeenLines
  /** Files of which something was read, not only found by a search. */
  readonly read: ReadonlySet<string>
  /** Files that could not be read. */
  readonly refused: ReadonlySet<string>
}

const MAX_RANKED_FILES = 60

export function findingsOf(angle: Angle, calls: readonly PastCall[]): Findings {
  if (angle.terms.length === 0) return overviewFindings(angle, calls)
  const counts = termCounts(angle, calls)
  const seen = inScope(seenLines(calls), angle)
  const plain = {
    kind: angle.kind,
    terms: angle.terms,
    worth: worthOf(angle.terms, counts),
    echo: angle.echo,
  }
  const yardstick = { ...plain, ...definedNames(angle, calls, plain) }
  const { read, refused } = readFiles(calls)
  const paths = [...seen.keys()].filter((path) => !refused.has(path) && isWanted(path, angle)).slice(0, 400)
  const lines = paths
    .flatMap((path) => rankLines(path, seen.get(path)!, yardstick))
    .filter((line) => belongs(line, angle.kind))
  const ranked = rankFiles(yardstick, counts, lines, filesInQuestion(angle, calls))
  const best = Math.max(0.01, ...ranked.values())
  const weighed = lines.map((line) => ({
    ...line,
    score: line.score * (0.6 + (0.4 * (ranked.get(line.path) ?? 0)) / best),
  }))
  return {
    yardstick,
    files: withoutCopies(ranked).slice(0, MAX_RANKED_FILES),
    lines: weighed.toSorted((a, b) => b.score - a.score || compare(a.path, b.path) || a.line - b.line),
    loose: isUnnamed(angle, calls),
    counts,
    seen,
    read,
    refused,
  }
}

function overviewFindings(angle: Angle, calls: readonly PastCall[]): Findings {
  const seen = inScope(seenLines(calls), angle)
  const lines = rankOverview(angle, seen)
  const yardstick = {
    kind: angle.kind,
    terms: [],
    worth: [],
    echo: '',
    names: new Set<string>(),
    modules: new Set<string>(),
  }
  return {
    yardstick,
    files: [...new Set(lines.map((line) => line.path))],
    lines,
    loose: false,
    counts: [],
    seen,
    ...readFiles(calls),
  }
}

/** Tests are in files for tests, or named as tests; documentation is in prose. */
function belongs({ path, kind }: RankedLine, angle: AngleKind): boolean {
  const file = fileKind(path)
  if (angle === 'tests') return file === 'test' || kind.type === 'test'
  return angle !== 'docs' || file === 'docs' || file === 'example'
}

function inScope(seen: SeenLines, angle: Angle): SeenLines {
  const { scope } = angle
  if (scope === null) return seen
  return new Map([...seen].filter(([path]) => path === scope || path.startsWith(`${scope}/`)))
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
