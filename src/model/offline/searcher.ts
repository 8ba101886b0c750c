import { findingsOf } from './findings.ts'
import { isUnnamed, pastCall, sourceAngle } from './count-matches.ts'
import { overviewCalls } from './overview.ts'
import type { Angle } from './angle.ts'
import { ENOUGH, nearestCalls } from './nearest.ts'
import { sectionsOf, selectFor } from './report.ts'
import {
  countCall,
  definitionCall,
  fileCall,
  fileNameCall,
  nameCall,
  readCall,
  togetherCall,
  type WantedCall,
} from './search-calls.ts'
import type { PastCall, Transcript } from './prompt-transcript.ts'

const MAX_CALLS_A_TURN = 20
const MAX_TERMS_SEARCHED = 5
const FILES_SEARCHED = 8
const FILES_READ = 8
const WINDOW = 90
const LEAD = 25

/**
 * The next calls of a search, or none when it is time to conclude: survey (which files speak of it), detail (which
 * lines of the best files), reading (around the best lines). A survey that finds nothing is repeated once with looser
 * patterns. Each stage is told from what was called before, so that any process can go on with it.
 */
export function nextCalls(
  angles: readonly Angle[],
  transcript: Turns,
  offered: ReadonlySet<string>,
): WantedCall[] {
  const past = transcript.turns.flat()
  const calls = searchCalls(angles, transcript, past, offered)
  return calls.length > 0 ? calls : usable(whatIsNear(angles, past), past, offered)
}

type Turns = Pick<Transcript, 'turns' | 'turnsBeforeSteer'>

function searchCalls(
  angles: readonly Angle[],
  { turns, turnsBeforeSteer }: Turns,
  past: readonly PastCall[],
  offered: ReadonlySet<string>,
): WantedCall[] {
  const done = turns.length - turnsBeforeSteer
  if (done === 0)
    return usable(
      angles.flatMap((angle) => survey(angle, false)),
      past,
      offered,
    )
  const empty = angles.filter((angle) => findsNothing(angle, turns.slice(0, turnsBeforeSteer + 1).flat()))
  const surveys = empty.length === angles.length ? 2 : 1
  if (done === 1 && surveys === 2)
    return usable(
      angles.flatMap((angle) => survey(angle, true)),
      past,
      offered,
    )
  if (done === surveys)
    return firstOf([() => details(angles, past), () => readings(angles, past)], past, offered)
  if (done === surveys + 1) return usable(readings(angles, past), past, offered)
  return []
}

/** The first stage that has anything to call. */
function firstOf(
  stages: readonly (() => WantedCall[])[],
  past: readonly PastCall[],
  offered: ReadonlySet<string>,
): WantedCall[] {
  for (const stage of stages) {
    const calls = usable(stage(), past, offered)
    if (calls.length > 0) return calls
  }
  return []
}

/** What is offered and was not asked before, bounded. */
function usable(
  calls: readonly WantedCall[],
  past: readonly PastCall[],
  offered: ReadonlySet<string>,
): WantedCall[] {
  const keys = new Set<string>()
  return calls
    .filter((call) => {
      const key = call.tool + JSON.stringify(call.input)
      return offered.has(call.tool) && !keys.has(key) && keys.add(key) && pastCall(call, past) === undefined
    })
    .slice(0, MAX_CALLS_A_TURN)
}

function survey(angle: Angle, loose: boolean): WantedCall[] {
  if (angle.terms.length === 0) return loose ? [] : overviewCalls(angle)
  const counts = angle.terms.slice(0, MAX_TERMS_SEARCHED).map((term) => countCall(term, angle, loose))
  if (loose) return [...counts, { tool: 'list', input: {} }]
  const hops =
    angle.kind === 'tests' || angle.kind === 'usage'
      ? [definitionCall(sourceAngle(angle))]
      : [definitionCall(angle)]
  return [...counts, ...hops, togetherCall(angle), fileNameCall(angle)].filter((call) => call !== null)
}

function findsNothing(angle: Angle, calls: readonly PastCall[]): boolean {
  return angle.terms.length === 0 ? findingsOf(angle, calls).lines.length === 0 : isUnnamed(angle, calls)
}

function details(angles: readonly Angle[], past: readonly PastCall[]): WantedCall[] {
  const each = Math.max(3, Math.floor(FILES_SEARCHED / angles.length))
  return angles.flatMap((angle) => {
    const { files, yardstick, counts, loose } = findingsOf(angle, past)
    if (angle.terms.length === 0) return []
    const names = [...yardstick.names]
    const hop = names.length === 0 ? [] : [nameCall(names, angle)]
    return [
      ...hop,
      ...files.slice(0, each).map((path) =>
        fileCall(path, {
          terms: angle.terms,
          counts: counts.map((map) => map.get(path) ?? 0),
          loose,
          names,
        }),
      ),
    ]
  })
}

/** When the words of the question led to too little: once, and as the last stage, what there is beside. */
function whatIsNear(angles: readonly Angle[], past: readonly PastCall[]): WantedCall[] {
  const cited = sectionsOf(angles, past).flatMap((section) => section.findings)
  return cited.length >= ENOUGH ? [] : angles.filter((angle) => angle.asked).flatMap(nearestCalls)
}

/** Windows of the files around the lines that would be shown now, and the beginnings of good files without a known line. */
function readings(angles: readonly Angle[], past: readonly PastCall[]): WantedCall[] {
  const each = Math.max(3, Math.floor(FILES_READ / angles.length))
  return angles.flatMap((angle) => {
    const chosen = selectFor(angle, past)
    const starts =
      chosen.length > 2
        ? []
        : findingsOf(angle, past)
            .files.slice(0, 2)
            .map((path) => ({ path, line: 1 }))
    return windows([...chosen, ...starts], each)
  })
}

function windows(
  places: readonly { readonly path: string; readonly line: number }[],
  max: number,
): WantedCall[] {
  const begun: { path: string; first: number }[] = []
  for (const { path, line } of places) {
    const covered = begun.some(
      (each) => each.path === path && line >= each.first && line < each.first + WINDOW,
    )
    if (!covered && begun.length < max) begun.push({ path, first: Math.max(1, line - LEAD) })
  }
  return begun.map(({ path, first }) => readCall(path, first, WINDOW))
}
