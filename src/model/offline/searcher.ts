import type { Angle } from './angle.ts'
import { linesOf } from './evidence.ts'
import { surveyOf } from './files.ts'
import { findingsOf } from './findings.ts'
import { overviewCalls, rankOverview, surroundingCalls } from './overview.ts'
import type { PastCall, Transcript } from './prompt-transcript.ts'
import {
  codeFilesCall,
  countCall,
  fileCall,
  namedFilesCall,
  pastCall,
  readCall,
  synonymsCall,
  testMarksCall,
  type WantedCall,
} from './search-calls.ts'
import { spokenIn, weigh } from './term.ts'

const MAX_CALLS_A_TURN = 20
const FILES_SEARCHED = 12
const WINDOWS_READ = 16
const WINDOWS_A_FILE = 7
const WINDOW = 120
const LEAD = 45
const NEAR = 12

type Stage = (angle: Angle, past: readonly PastCall[], share: number) => WantedCall[]

/**
 * The next calls of a search; none when it should conclude. Stages: files that match the question, matching lines of
 * the best ones, the text around those, and if nothing matches, a general overview. Each stage follows from the earlier
 * answers, so any process can continue it.
 */
export function nextCalls(
  angles: readonly Angle[],
  { turns }: Pick<Transcript, 'turns'>,
  offered: ReadonlySet<string>,
): WantedCall[] {
  const past = turns.flat()
  for (const stage of [survey, details, readings, surroundings]) {
    const wanted = distinct(
      angles.flatMap((angle) => stage(angle, past, (angle.asked ? 1 : 0.5) / angles.length)),
    )
    const calls = wanted
      .slice(0, MAX_CALLS_A_TURN)
      .filter((call) => offered.has(call.tool) && !pastCall(call, past))
    if (calls.length > 0) return calls
  }
  return []
}

function distinct(calls: readonly WantedCall[]): WantedCall[] {
  return [...new Map(calls.map((call) => [call.tool + JSON.stringify(call.input), call])).values()]
}

const survey: Stage = (angle) => {
  const { terms, scope, kind } = angle
  if (terms.length === 0) return overviewCalls(angle)
  const named = namedFilesCall(angle)
  return [
    ...terms.map((term) => countCall(term, scope)),
    ...terms.flatMap((term) => synonymsCall(term, scope) ?? []),
    codeFilesCall(scope),
    ...(kind === 'tests' ? [testMarksCall(scope)] : []),
    ...(named ? [named] : []),
  ]
}

const details: Stage = (angle, past, share) =>
  bestFiles(angle, past, share).map(({ path }) => fileCall(path, angle.terms))

function bestFiles(angle: Angle, past: readonly PastCall[], share: number) {
  if (angle.terms.length === 0) return []
  return surveyOf(angle, past).files.slice(0, Math.max(3, Math.floor(FILES_SEARCHED * share)))
}

const readings: Stage = (angle, past, share) => {
  const most = Math.max(3, Math.floor(WINDOWS_READ * share))
  if (angle.terms.length === 0)
    return rankOverview(angle, past)
      .slice(0, most)
      .map(({ path, line }) => readCall(path, line - 5, 40))
  return windows(places(angle, past, share), most)
}

interface Place {
  readonly path: string
  readonly line: number
  readonly score: number
}

/** The lines that match the terms, judged with their neighbours; the start of a file without any. */
function places(angle: Angle, past: readonly PastCall[], share: number): Place[] {
  const { terms } = surveyOf(angle, past)
  const found = bestFiles(angle, past, share).flatMap(({ path, score: ofFile }) => {
    const call = pastCall(fileCall(path, angle.terms), past)
    const lines = call ? linesOf(call).map((seen) => ({ ...seen, spoken: spokenIn(seen.text, terms) })) : []
    if (lines.length === 0) return [{ path, line: 1, score: 0.1 * ofFile }]
    return lines.map(({ line }) => {
      const near = lines.filter((other) => Math.abs(other.line - line) <= NEAR)
      const spoken = new Set([...near.flatMap((each) => each.spoken), ...spokenIn(path, terms)])
      return { path, line, score: weigh(spoken) * ofFile }
    })
  })
  return found.toSorted((a, b) => b.score - a.score)
}

function windows(found: readonly Place[], most: number): WantedCall[] {
  const begun: { path: string; first: number }[] = []
  for (const { path, line } of found) {
    const same = begun.filter((each) => each.path === path)
    const covered = same.some(({ first }) => line >= first && line < first + WINDOW - 15)
    if (!covered && same.length < WINDOWS_A_FILE && begun.length < most)
      begun.push({ path, first: Math.max(1, line - LEAD) })
  }
  return begun.map(({ path, first }) => readCall(path, first, WINDOW))
}

/** If nothing matches: a general overview. */
const surroundings: Stage = (angle, past) =>
  angle.asked && findingsOf(angle, past).findings.length === 0 ? surroundingCalls(angle) : []
