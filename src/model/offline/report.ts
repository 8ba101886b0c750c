import { inSentence, type Angle } from './angle.ts'
import { CLOSING, sectionOf, writeAnswer, type FoundAnswer } from './answer.ts'
import { findingsOf } from './findings.ts'
import { surroundingsOf } from './overview.ts'
import type { PastCall } from './prompt-transcript.ts'

const MAX_AROUND = 7

/** Findings by angle. */
export function answerOf(angles: readonly Angle[], calls: readonly PastCall[]): FoundAnswer {
  const sections = angles.map((angle) => sectionOf(angle, findingsOf(angle, calls)))
  const nothing = sections.every(({ findings }) => findings.length === 0)
  const asked = angles.find((angle) => angle.asked)
  return {
    sections,
    failure: failureOf(calls),
    around: nothing && asked ? surroundingsOf(asked, calls).slice(0, MAX_AROUND) : [],
  }
}

/** The report of one search agent. */
export function writeReport(angles: readonly Angle[], calls: readonly PastCall[]): string {
  return [...writeAnswer(answerOf(angles, calls)), effort(calls), CLOSING].join('\n\n')
}

/** What was searched, and what could not be. */
function effort(calls: readonly PastCall[]): string {
  if (calls.length === 0) return 'No search was made.'
  const reads = calls.filter((call) => call.tool === 'read').length
  const failure = failureOf(calls)
  const done = `Made ${amount(calls.length - reads, 'search', 'searches')} and read ${amount(reads, 'place')}.`
  return failure === null ? done : `${done} ${failure} So this may be incomplete.`
}

export function amount(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

function failureOf(calls: readonly PastCall[]): string | null {
  const failed = calls.filter((call) => call.failed)
  const said = failed.map((call) => `${call.tool} said "${inSentence(call.output).slice(0, 80)}"`)
  const reasons = [...new Set(said)].slice(0, 2).join('; ')
  return failed.length === 0 ? null : `${failed.length} of ${calls.length} calls failed (${reasons}).`
}
