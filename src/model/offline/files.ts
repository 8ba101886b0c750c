import type { Angle } from './angle.ts'
import { countsOf, pathsOf } from './evidence.ts'
import { baseName, fileKind, isCode, moduleKey, type FileKind } from './file-kind.ts'
import type { PastCall } from './prompt-transcript.ts'
import {
  codeFilesCall,
  countCall,
  namedFilesCall,
  pastCall,
  synonymsCall,
  testMarksCall,
} from './search-calls.ts'
import { spokenIn, type Term } from './term.ts'

/** First search results for an angle: the matching files, and the weight of each term. */
export interface FileSurvey {
  /** Best first, without copies. */
  readonly files: readonly RankedFile[]
  /** Weighted by rarity. */
  readonly terms: readonly Term[]
  /** Terms that no code contains. */
  readonly missing: readonly Term[]
  /** Terms that a complete answer must cover; the project's name is not one of them. */
  readonly needed: readonly Term[]
}

interface RankedFile {
  readonly path: string
  readonly score: number
}

/** Matches by file. */
type Counts = ReadonlyMap<string, number>

interface CountedTerm extends Term {
  /** Of the word itself. */
  readonly own: Counts | null
  /** Of the word or else its synonyms. */
  readonly counts: Counts
  /** Whether all files were searched for it. */
  readonly isSearched: boolean
}

const MAX_NAMED = 20

export function surveyOf(angle: Angle, calls: readonly PastCall[]): FileSurvey {
  const { scope } = angle
  const counted = angle.terms.map((term) => {
    const call = pastCall(countCall(term, scope), calls)
    const synonyms = synonymsCall(term, scope)
    const own = countsIn(call)
    const others = synonyms && countsIn(pastCall(synonyms, calls))
    const counts = new Map([...(others ?? []), ...(own ?? [])])
    return { ...term, own, counts, isSearched: call !== undefined && !hasGaps(call) }
  })
  const named = namedIn(angle, calls)
  const paths = [...new Set([...counted.flatMap(({ counts }) => keys(counts)), ...named])]
  const terms = counted.map((term) => ({
    ...term,
    weight: term.weight * (term.telling ? rarity(keys(term.counts).length, paths.length) : 1),
  }))
  const marked = countsIn(pastCall(testMarksCall(scope), calls))
  const files = paths.map((path) => {
    const fit = fitOf(path, terms) * (named.includes(path) ? 3 : 1)
    return { path, score: fit * prior(path, angle, marked?.has(path) ?? false) }
  })
  const needed = terms.filter(({ telling, own }) => telling && !isProjectName(own))
  return { files: best(files), terms, missing: missingOf(angle, terms, hasCode(scope, calls)), needed }
}

function countsIn(call: PastCall | undefined): Counts | null {
  return call && !call.failed ? countsOf(call) : null
}

/** A word found only in the manifest is the project's name. */
function isProjectName(counts: Counts | null): boolean {
  const held = keys(counts).filter(isCode)
  return held.length > 0 && held.every((path) => fileKind(path) === 'config')
}

/** A failed search, or one with unreadable files, proves nothing missing. */
function hasGaps({ failed, output }: PastCall): boolean {
  return failed || /^\(not searched: /m.test(output)
}

function namedIn(angle: Angle, calls: readonly PastCall[]): string[] {
  const wanted = namedFilesCall(angle)
  const past = wanted && pastCall(wanted, calls)
  return past ? pathsOf(past).slice(0, MAX_NAMED) : []
}

function keys(counts: Counts | null): string[] {
  return [...(counts?.keys() ?? [])]
}

/** A term in few files is more significant than one in many. */
function rarity(files: number, all: number): number {
  return Math.sqrt(Math.log(1 + Math.max(all, 12) / (1 + files)))
}

/** How well a file and its name match the terms; several terms count more than one. */
function fitOf(path: string, terms: readonly CountedTerm[]): number {
  const named = spokenIn(baseName(path), terms)
  const around = spokenIn(path, terms)
  const spoken = terms.map((term) => {
    const count = term.counts.get(path) ?? 0
    const inPath = named.includes(term) ? 0.8 : around.includes(term) ? 0.4 : 0
    return term.weight * (count / (count + 2) + inPath)
  })
  const covered = spoken.filter((value) => value > 0).length / Math.max(1, spoken.length)
  return spoken.reduce((sum, value) => sum + value, 0) * (0.4 + 0.6 * covered)
}

/** Copies of one module count once: the best one stays. */
function best(files: readonly RankedFile[]): RankedFile[] {
  const sorted = files
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1))
  return [...Map.groupBy(sorted, ({ path }) => moduleKey(path)).values()].map(([first]) => first!)
}

/** A workspace of texts has no code. */
function hasCode(scope: string | null, calls: readonly PastCall[]): boolean {
  const found = pastCall(codeFilesCall(scope), calls)
  return found !== undefined && pathsOf(found).some(isCode)
}

/** A term is missing if it was searched for and no relevant file contains it; its synonyms may still lead to the thing. */
function missingOf({ kind }: Angle, terms: readonly CountedTerm[], isProgram: boolean): Term[] {
  const inCode = kind !== 'docs' && kind !== 'config' && isProgram
  const couldAnswer = (path: string) => (inCode ? isCode(path) : fileKind(path) !== 'noise')
  const holds = (counts: Counts | null) => keys(counts).some(couldAnswer)
  return terms
    .filter(({ telling, isSearched, own }) => telling && isSearched && !holds(own))
    .map((term) => ({ ...term, thing: term.thing && !holds(term.counts) }))
}

const PRIORS: Readonly<Record<FileKind, number>> = {
  source: 1,
  test: 0.2,
  docs: 0.15,
  config: 0.3,
  example: 0.3,
  foreign: 0.2,
  built: 0.2,
  noise: 0.02,
}

/** How well this kind of file can answer that kind of question. */
export function prior(path: string, { kind, scope }: Angle, holdsTests: boolean): number {
  const file = fileKind(path)
  if (kind === 'tests') return file === 'test' ? 1 : holdsTests ? 0.8 : 0
  if (kind === 'docs') return file === 'docs' ? 1 : file === 'example' ? 0.3 : 0
  if (kind === 'config') return file === 'config' ? 1 : PRIORS[file] * 0.6
  return scope === null ? PRIORS[file] : Math.max(0.5, PRIORS[file])
}
