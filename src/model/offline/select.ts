import { cite, type Citation } from './citation.ts'
import type { Findings } from './findings.ts'
import { indentOf, lineKind } from './line-kind.ts'
import { moduleKey } from './file-kind.ts'
import type { RankedLine } from './rank.ts'

export interface Finding extends Citation {
  /** What the line is, in a few words; may be empty. */
  readonly note: string
}

/** A line of the same file counts for less with each that was chosen before. */
const SAME_FILE = 0.82
const TOO_CLOSE = 2
const FEW = 5
/** Below this part of the best score a line is left out, once there are a few. */
const TAIL = 0.3

/** The lines worth showing, best first: from files that were read, as far as those yield a few. */
export function select(findings: Findings, max: number, few = FEW): Finding[] {
  const checked = spread(
    { ...findings, lines: findings.lines.filter((line) => findings.read.has(line.path)) },
    max,
    few,
  )
  return checked.length >= few ? checked : spread(findings, max, few)
}

/** Spread over files, no copies, no near neighbours. */
function spread({ lines, seen }: Findings, max: number, few: number): Finding[] {
  const chosen: RankedLine[] = []
  const found: Finding[] = []
  let pool = withEnclosing(lines.slice(0, 400), seen)
  const best = pool[0]?.score ?? 0
  while (found.length < max) {
    const next = bestOf(pool, chosen)
    if (!next || (found.length >= few && next.score < best * TAIL)) break
    pool = pool.filter((line) => line !== next)
    const citation = cite(next)
    if (!citation || isRepeated(citation, found)) continue
    chosen.push(next)
    found.push({ ...citation, note: noteOf(next) })
  }
  return found
}

function bestOf(pool: readonly RankedLine[], chosen: readonly RankedLine[]): RankedLine | undefined {
  let best: RankedLine | undefined
  let bestScore = 0
  for (const line of pool) {
    if (line.score <= bestScore || chosen.some((other) => isClose(line, other))) continue
    const score = line.score * SAME_FILE ** chosen.filter((other) => other.path === line.path).length
    if (score > bestScore) [best, bestScore] = [line, score]
  }
  return best
}

function isClose(line: RankedLine, other: RankedLine): boolean {
  if (line.path !== other.path) return false
  const near = line.kind.type === 'definition' && other.kind.type === 'definition' ? 0 : TOO_CLOSE
  return Math.abs(line.line - other.line) <= near
}

/** The same words from a copy of the module, or anywhere else: one place is enough. */
function isRepeated(citation: Citation, found: readonly Citation[]): boolean {
  return found.some(
    (other) =>
      other.excerpt === citation.excerpt ||
      (other.path !== citation.path && moduleKey(other.path) === moduleKey(citation.path)),
  )
}

/** Adds, for the best lines inside a body, the definition around them: it names the place. */
function withEnclosing(lines: readonly RankedLine[], seen: Findings['seen']): RankedLine[] {
  const known = new Set(lines.map(({ path, line }) => `${path}:${line}`))
  const added = lines.slice(0, 12).flatMap((line) => {
    const around = line.kind.type === 'code' ? enclosing(line, seen.get(line.path)) : undefined
    if (!around || known.has(`${around.path}:${around.line}`)) return []
    known.add(`${around.path}:${around.line}`)
    return [around]
  })
  return [...lines, ...added].toSorted((a, b) => b.score - a.score)
}

const FAR = 60

function enclosing(inner: RankedLine, file: ReadonlyMap<number, string> | undefined): RankedLine | undefined {
  const depth = indentOf(inner.text)
  for (let line = inner.line - 1; line >= inner.line - FAR; line--) {
    const text = file?.get(line)
    if (text === undefined) return undefined
    const kind = lineKind(text, inner.path)
    if (
      text.trim() !== '' &&
      indentOf(text) < depth &&
      (kind.type === 'definition' || kind.type === 'test')
    ) {
      if (/^\s*(const|let|var|val)\s[^=]*=(?!.*(=>|function))/.test(text)) continue
      return { path: inner.path, line, text, kind, score: inner.score * 0.95, coverage: inner.coverage }
    }
  }
  return undefined
}

function noteOf({ kind }: RankedLine): string {
  const name = kind.name
    .replace(/[`'"].*$/u, '')
    .replace(/::/g, '.')
    .replace(/[^\p{L}\p{N}_$.#?! -]/gu, '')
    .trim()
    .slice(0, 60)
  switch (kind.type) {
    case 'definition':
      return name === '' ? '' : `defines ${name}`
    case 'test':
      return 'a test'
    case 'comment':
      return 'a comment'
    default:
      return ''
  }
}
