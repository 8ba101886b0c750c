import { indentOf, lineKind, type LineKind } from './line-kind.ts'
import { baseName, fileKind, moduleKey, type FileKind } from './file-kind.ts'
import type { AngleKind } from './angle.ts'
import { stem, subwords } from './stem.ts'
import { strength, type Term } from './term.ts'

/** A line with how well it answers. */
export interface RankedLine {
  readonly path: string
  readonly line: number
  readonly text: string
  readonly kind: LineKind
  readonly score: number
  /** The part of the question that the line, its neighbours and its path speak of, 0 to 1. */
  readonly coverage: number
}

/** What lines are judged by: the terms, how rare each is, and what kind of place is looked for. */
export interface Yardstick {
  readonly kind: AngleKind
  readonly terms: readonly Term[]
  /** Weight times rarity, one a term. */
  readonly worth: readonly number[]
  /** Identifiers that matter to the question though it does not name them. */
  readonly names: ReadonlySet<string>
  /** Base names of the modules in which those are defined. */
  readonly modules: ReadonlySet<string>
  /** The beginning of the question, in lower case: a line that only repeats it is no answer. May be empty. */
  readonly echo: string
}

const NEAR = 4

/** Counts of matching lines by file, one map a term. */
export type TermCounts = readonly ReadonlyMap<string, number>[]

/** A term that few files hold says more than one that many hold. */
export function worthOf(terms: readonly Term[], counts: TermCounts): number[] {
  const files = new Set(counts.flatMap((map) => [...map.keys()]))
  const all = Math.max(files.size, 12)
  return terms.map((term, i) => term.weight * Math.sqrt(Math.log(1 + all / (1 + (counts[i]?.size ?? 0)))))
}

export function rankFiles(
  yardstick: Yardstick,
  counts: TermCounts,
  lines: readonly RankedLine[],
  named: readonly string[],
): Map<string, number> {
  const scores = new Map<string, number>()
  const paths = new Set([
    ...counts.flatMap((map) => [...map.keys()]),
    ...lines.map((line) => line.path),
    ...named,
  ])
  const bestLines = bestByFile(lines)
  for (const path of paths) {
    const inside = yardstick.worth.map((worth, i) => worth * saturate(counts[i]?.get(path) ?? 0))
    const covered = inside.filter((value) => value > 0).length / Math.max(1, inside.length)
    const body = sum(inside) * (0.5 + 0.5 * covered)
    scores.set(
      path,
      (body + pathScore(path, yardstick) + (bestLines.get(path) ?? 0)) * prior(path, yardstick.kind),
    )
  }
  return new Map([...scores].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)))
}

/** Scores the known lines of one file. Neighbours and the path count, a little: `evaluate()` in `permissions/` is about both. */
export function rankLines(
  path: string,
  known: ReadonlyMap<number, string>,
  yardstick: Yardstick,
): RankedLine[] {
  const fromPath = strengths(path, yardstick)
  const own = new Map(
    [...known].map(([line, text]) => [line, text.length > 600 ? [] : strengths(text, yardstick)]),
  )
  const factor = prior(path, yardstick.kind) * (isPaired(path, yardstick) ? 1.4 : 1)
  const ranked: RankedLine[] = []
  for (const [line, text] of known) {
    const mine = own.get(line)!
    const kind = lineKind(text, path)
    const near = around(line, own)
    const coverage = coverageOf(mine, near, fromPath, yardstick.worth)
    const score = factor * (0.4 + 0.6 * coverage) * lineScore({ text, kind, mine, near, fromPath }, yardstick)
    if (score > 0) ranked.push({ path, line, text, kind, score, coverage })
  }
  return ranked.toSorted((a, b) => b.score - a.score || a.line - b.line)
}

interface ScoredLine {
  readonly text: string
  readonly kind: LineKind
  /** Strength of each term in the line, in its neighbours, and in the path. */
  readonly mine: readonly number[]
  readonly near: readonly number[]
  readonly fromPath: readonly number[]
}

function lineScore({ text, kind, mine, near, fromPath }: ScoredLine, yardstick: Yardstick): number {
  const name = nameBonus(kind, text, yardstick)
  const words =
    sum(mine.map((value, i) => value * yardstick.worth[i]!)) || ofNamedFile(text, kind, fromPath, yardstick)
  if (words + name === 0) return 0
  const context = sum(
    yardstick.worth.map(
      (worth, i) => worth * Math.max(0.35 * (near[i] ?? 0), 0.45 * (fromPath[i] ?? 0)) * (1 - (mine[i] ?? 0)),
    ),
  )
  const defined =
    kind.type === 'definition' || kind.type === 'heading' || kind.type === 'test'
      ? nameScore(kind.name, yardstick)
      : 0
  const echoes = yardstick.echo !== '' && text.toLowerCase().includes(yardstick.echo) ? 0.1 : 1
  return (words + context + name + 1.2 * defined) * kindFactor(kind, text, yardstick.kind) * echoes
}

/** The question names the file itself: what it defines at its left margin is of interest, whatever its words. */
function ofNamedFile(
  text: string,
  kind: LineKind,
  fromPath: readonly number[],
  { terms, worth }: Yardstick,
): number {
  if ((kind.type !== 'definition' && kind.type !== 'heading') || indentOf(text) > 0) return 0
  return sum(
    terms.map((term, i) =>
      term.exact !== null && /[./]/.test(term.exact) && fromPath[i] === 1 ? 0.5 * worth[i]! : 0,
    ),
  )
}

function coverageOf(
  mine: readonly number[],
  near: readonly number[],
  fromPath: readonly number[],
  worth: readonly number[],
): number {
  const reach = worth.map(
    (value, i) => value * Math.max(mine[i] ?? 0, 0.6 * (near[i] ?? 0), 0.6 * (fromPath[i] ?? 0)),
  )
  return sum(reach) / Math.max(0.01, sum(worth))
}

function nameBonus(kind: LineKind, text: string, { names, kind: angle }: Yardstick): number {
  if (names.size === 0 || kind.type === 'import') return 0
  const hits = [...text.matchAll(/([\p{L}_$][\p{L}\d_$]*)(\s*\()?/gu)].filter((match) => names.has(match[1]!))
  if (hits.length === 0) return 0
  if (angle !== 'usage') return 1.5
  return kind.type === 'definition' && names.has(kind.name)
    ? 0
    : hits.some((match) => match[2] !== undefined)
      ? 5
      : 3
}

function nameScore(name: string, yardstick: Yardstick): number {
  const said = strengths(name, yardstick)
  const share = said.filter((value) => value > 0).length / Math.max(1, subwords(name).length)
  return sum(said.map((value, i) => value * yardstick.worth[i]!)) * (0.6 + Math.min(1, share))
}

function kindFactor(kind: LineKind, text: string, angle: AngleKind): number {
  const depth = indentOf(text)
  switch (kind.type) {
    case 'definition':
      if (angle === 'usage' || angle === 'tests') return 0.7
      return /\b(function|class|def|fn|func|fun|impl|trait|proc)\b|=>|\)\s*(:.*)?\{\s*$/.test(text)
        ? depth <= 4
          ? 1.5
          : 1.2
        : 1.25
    case 'test':
      return angle === 'tests' ? 1.8 : 0.6
    case 'heading':
      return angle === 'docs' ? 1.4 : 1.1
    case 'comment':
      return angle === 'docs' ? 0.8 : 0.6
    case 'import':
      return 0.3
    case 'trivial':
      return 0
    default:
      return /^\s*[\w.'"]+,?$/.test(text) ? 0.4 : text.trim().length > 240 || isRunningText(text) ? 0.5 : 1
  }
}

/** A sentence or a list of words inside a program: text that it prints, or data. */
function isRunningText(text: string): boolean {
  return !/[(){}[\];=<>]/.test(text) && text.trim().split(/\s+/).length >= 8
}

/** Strength of each term in a text. */
export function strengths(text: string, yardstick: Pick<Yardstick, 'terms'>): number[] {
  const lower = text.toLowerCase()
  const stems = new Set(subwords(text).map(stem))
  return yardstick.terms.map((term) => {
    if (term.exact !== null && lower.includes(term.exact.toLowerCase())) return 1
    return strength(term, stems) * (term.exact === null ? 1 : 0.6)
  })
}

function around(line: number, own: ReadonlyMap<number, readonly number[]>): number[] {
  const near: number[] = []
  for (let other = line - NEAR; other <= line + NEAR; other++) {
    if (other === line) continue
    own.get(other)?.forEach((value, i) => (near[i] = Math.max(near[i] ?? 0, value)))
  }
  return near
}

function pathScore(path: string, yardstick: Yardstick): number {
  const base = strengths(baseName(path), yardstick)
  const whole = strengths(path, yardstick)
  const named = sum(yardstick.worth.map((worth, i) => worth * Math.max(1.5 * base[i]!, 0.7 * whole[i]!)))
  return named + (isPaired(path, yardstick) ? 2 : 0)
}

/** A test that is named after the module that defines what is asked for. */
function isPaired(path: string, { modules }: Yardstick): boolean {
  const base = baseName(path)
  return [...modules].some((module) => module.length > 3 && base.startsWith(module))
}

const PRIORS: Readonly<Record<FileKind, number>> = {
  source: 1,
  test: 0.25,
  docs: 0.3,
  config: 0.35,
  example: 0.3,
  built: 0.5,
  noise: 0.03,
}

function prior(path: string, angle: AngleKind): number {
  const kind = fileKind(path)
  switch (angle) {
    case 'tests':
      return kind === 'test' ? 1 : 0.05
    case 'docs':
      return kind === 'docs' ? 1 : kind === 'example' ? 0.5 : 0.2 * PRIORS[kind]
    case 'config':
      return kind === 'config' ? 1 : PRIORS[kind] * 0.7
    default:
      return PRIORS[kind] * (/\.d\.[cm]?ts$/.test(path) ? 0.5 : /(^|\/)cjs\/|\.cjs$/.test(path) ? 0.8 : 1)
  }
}

/** Copies of one module in several formats count once: the best of them stays. */
export function withoutCopies(files: ReadonlyMap<string, number>): string[] {
  const seen = new Set<string>()
  return [...files.keys()].filter((path) => {
    const key = moduleKey(path)
    return seen.has(key) ? false : (seen.add(key), true)
  })
}

function bestByFile(lines: readonly RankedLine[]): Map<string, number> {
  const best = new Map<string, number>()
  for (const { path, score } of lines) best.set(path, Math.max(best.get(path) ?? 0, score))
  return best
}

function saturate(count: number): number {
  return count / (count + 2)
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
