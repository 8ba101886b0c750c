import type { Angle } from './angle.ts'
import { countsOf, linesOf, pathsOf } from './evidence.ts'
import { lineKind } from './line-kind.ts'
import { baseName, fileKind } from './file-kind.ts'
import { strengths, type Yardstick } from './rank.ts'
import { countCall, definitionCall, fileNameCall, type WantedCall } from './search-calls.ts'
import type { PastCall } from './prompt-transcript.ts'

const MAX_NAMES = 6

/** Whether no file has one of the words in its text or its name. Weak words do not count: they stand everywhere. */
export function isUnnamed(angle: Angle, calls: readonly PastCall[]): boolean {
  const strong = angle.terms.filter((term) => term.weight > 0.5)
  const telling = strong.length > 0 ? strong : angle.terms
  const counted = telling.every((term) => countsFor(countCall(term, angle, false), angle, calls).size === 0)
  return counted && filesInQuestion(angle, calls).length === 0
}

/** The past call that asked exactly this. */
export function pastCall(wanted: WantedCall | null, calls: readonly PastCall[]): PastCall | undefined {
  if (!wanted) return undefined
  const key = JSON.stringify(wanted.input)
  return calls.find((call) => call.tool === wanted.tool && JSON.stringify(call.input) === key)
}

/** Matching lines by file, one map a term; of related words, too, where those were looked for. */
export function termCounts(angle: Angle, calls: readonly PastCall[]): Map<string, number>[] {
  return angle.terms.map((term) => {
    const related = countsFor(countCall(term, angle, true), angle, calls)
    return new Map([...related, ...countsFor(countCall(term, angle, false), angle, calls)])
  })
}

function countsFor(wanted: WantedCall, angle: Angle, calls: readonly PastCall[]): Map<string, number> {
  const past = pastCall(wanted, calls)
  return new Map([...(past ? countsOf(past) : [])].filter(([path]) => isWanted(path, angle)))
}

/** Licences, lock files and the like only where the question is about them. */
export function isWanted(path: string, angle: Angle): boolean {
  return angle.scope !== null || fileKind(path) !== 'noise' || isNamed(path, angle)
}

export function filesInQuestion(angle: Angle, calls: readonly PastCall[]): string[] {
  const past = pastCall(fileNameCall(angle), calls)
  if (!past) return []
  return pathsOf(past)
    .filter((path) => isNamed(path, angle))
    .slice(0, 100)
}

function isNamed(path: string, angle: Angle): boolean {
  const base = baseName(path).toLowerCase()
  return angle.terms.some(({ exact, stems }) =>
    exact === null
      ? stems.some((stem) => base.includes(stem))
      : path.toLowerCase().includes(exact.toLowerCase()),
  )
}

/** For tests and uses: what the program calls the thing that the question names. */
export function definedNames(
  angle: Angle,
  calls: readonly PastCall[],
  plain: Omit<Yardstick, 'names' | 'modules'>,
): Pick<Yardstick, 'names' | 'modules'> {
  if (angle.kind !== 'tests' && angle.kind !== 'usage') return { names: new Set(), modules: new Set() }
  const past = pastCall(definitionCall(sourceAngle(angle)), calls)
  const defined = (past ? linesOf(past) : []).flatMap(({ path, text }) => {
    const { type, name } = lineKind(text, path)
    if (
      type !== 'definition' ||
      name.length < 4 ||
      /^\s+(const|let|var)\s/.test(text) ||
      fileKind(path) !== 'source'
    )
      return []
    const said = strengths(name, plain)
    const score = said.reduce((sum, value, i) => sum + value * plain.worth[i]!, 0)
    return score > 0 ? [{ name, path, score }] : []
  })
  const exact = angle.terms.flatMap((term) => (term.exact === null ? [] : [term.exact]))
  const best = defined.toSorted((a, b) => b.score - a.score).slice(0, MAX_NAMES)
  return {
    names: new Set([...exact, ...best.map(({ name }) => name)]),
    modules: new Set(best.map(({ path }) => baseName(path).replace(/\.\w+$/, ''))),
  }
}

export function sourceAngle(angle: Angle): Angle {
  return { ...angle, kind: 'implementation' }
}
