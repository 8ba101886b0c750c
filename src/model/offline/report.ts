import { inSentence, wordsOf, type Angle } from './angle.ts'
import { CLOSING, writeAnswer, type FoundAnswer, type Section } from './answer.ts'
import { findingsOf } from './findings.ts'
import { surroundingsOf } from './overview.ts'
import type { PastCall } from './prompt-transcript.ts'

const MAX_AROUND = 7

/** Findings by angle; a place that answers two angles is listed in the first. */
export function answerOf(angles: readonly Angle[], calls: readonly PastCall[]): FoundAnswer {
  const found = angles.map((angle) => ({ angle, ...findingsOf(angle, calls) }))
  const sections = found.map(({ angle, findings, sure }) => ({
    kind: angle.kind,
    about: wordsOf(angle),
    asked: angle.asked,
    findings,
    sure,
  }))
  const nothing = found.every(({ findings }) => findings.length === 0)
  const missing = found.flatMap(({ angle, missing: words }) => (angle.asked ? words.map(inSentence) : []))
  const asked = angles.find((angle) => angle.asked)
  return {
    sections: withoutRepeats(sections),
    missing: [...new Set(missing)],
    astray: found.some(({ angle, astray }) => angle.asked && astray),
    around: nothing && asked ? surroundingsOf(asked, calls).slice(0, MAX_AROUND) : [],
  }
}

export function withoutRepeats(sections: readonly Section[]): Section[] {
  const seen = new Set<string>()
  return sections.map((section) => ({
    ...section,
    findings: section.findings.filter(({ path, line }) => {
      const key = `${path}:${line}`
      return seen.has(key) ? false : (seen.add(key), true)
    }),
  }))
}

/** The report of one search agent. */
export function writeReport(angles: readonly Angle[], calls: readonly PastCall[]): string {
  return [...writeAnswer(answerOf(angles, calls)), effort(calls), CLOSING].join('\n\n')
}

/** What was searched, and what could not be. */
function effort(calls: readonly PastCall[]): string {
  if (calls.length === 0) return 'No search was made.'
  const reads = calls.filter((call) => call.tool === 'read').length
  const failed = calls.filter((call) => call.failed)
  const done = `Made ${calls.length - reads} searches and read ${reads} places.`
  if (failed.length === 0) return done
  return `${done} ${failed.length} of ${calls.length} calls failed (${reasons(failed)}), so this may be incomplete.`
}

function reasons(failed: readonly PastCall[]): string {
  const texts = failed.map((call) => `${call.tool}: ${inSentence(call.output).slice(0, 80)}`)
  return [...new Set(texts)].slice(0, 2).join('; ')
}
