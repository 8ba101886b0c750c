import { formatCitation } from './citation.ts'
import { findingsOf } from './findings.ts'
import type { Angle } from './angle.ts'
import { fillUp, NEAREST_NOTE, nearestLines } from './nearest.ts'
import { select, type Finding } from './select.ts'
import type { PastCall } from './prompt-transcript.ts'

export const CLOSING =
  'Found and put together by rules (offline: rule-based search, not a language model). The quoted lines are literal; their order is a guess at what matters.'

/** How a report says that it found no place by the words of the question. */
export const LOOSE_NOTE = 'No file has these words themselves; related words led to these places.'

export interface Section {
  readonly title: string
  readonly asked: boolean
  readonly findings: readonly Finding[]
  /** Found by related words only. */
  readonly loose: boolean
}

const ASKED = 8
const UNASKED = 4
/** What nobody asked for is shown only where it speaks of this part of the question. */
const FITTING = 0.6

/** What a search found, angle by angle: a line that answers two angles stands in the first. */
export function sectionsOf(angles: readonly Angle[], calls: readonly PastCall[]): Section[] {
  return withoutRepeats(
    angles.map((angle) => ({
      title: angle.title,
      asked: angle.asked,
      findings: selectFor(angle, calls),
      loose: findingsOf(angle, calls).loose,
    })),
  )
}

export function selectFor(angle: Angle, calls: readonly PastCall[]): Finding[] {
  const findings = findingsOf(angle, calls)
  if (angle.asked) return select(findings, ASKED)
  return select({ ...findings, lines: findings.lines.filter((line) => line.coverage >= FITTING) }, UNASKED, 1)
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

/** The report of one searching agent. */
export function writeReport(angles: readonly Angle[], calls: readonly PastCall[]): string {
  const sections = sectionsOf(angles, calls)
  const lists = angles.filter((angle) => angle.asked).map((angle) => nearestLines(angle, calls))
  const parts = [
    ...sections.filter((section) => section.findings.length > 0).map(writeSection),
    effort(sections, calls),
    ...writeNearest(sections, lists),
  ]
  return [...parts, CLOSING].join('\n\n')
}

/** The nearest other places, apart from what fits and under a name of their own; nothing where enough fits. */
export function writeNearest(sections: readonly Section[], lists: readonly (readonly Finding[])[]): string[] {
  const cited = sections.flatMap((section) => section.findings)
  const rows = fillUp(cited, lists).map((finding) => formatCitation(finding, finding.note))
  return rows.length === 0 ? [] : [['**Nearest places**', '', NEAREST_NOTE, '', ...rows].join('\n')]
}

export function writeSection({ title, findings, loose }: Section): string {
  return [
    `**${title}**`,
    ...(loose ? ['', LOOSE_NOTE] : []),
    '',
    ...findings.map((finding) => formatCitation(finding, finding.note)),
  ].join('\n')
}

/** What was searched, and what could not be. */
function effort(sections: readonly Section[], calls: readonly PastCall[]): string {
  const searches = calls.filter(
    (call) => call.tool === 'grep' || call.tool === 'glob' || call.tool === 'list',
  ).length
  const reads = calls.filter((call) => call.tool === 'read' && !call.failed).length
  const failed = calls.filter((call) => call.failed)
  const missing = sections
    .filter((section) => section.asked && section.findings.length === 0)
    .map((section) => section.title)
  return [
    ...(missing.length === 0 ? [] : [`Nothing was found for: ${missing.join('; ')}.`]),
    calls.length === 0 ? 'No search was made.' : `Looked with ${searches} searches and read ${reads} places.`,
    ...(failed.length === 0
      ? []
      : [
          `${failed.length} of ${calls.length} calls did not succeed (${reasons(failed)}), so this may be incomplete.`,
        ]),
  ].join(' ')
}

function reasons(failed: readonly PastCall[]): string {
  const texts = failed.map((call) => `${call.tool}: ${oneLine(call.output)}`)
  return [...new Set(texts)].slice(0, 2).join('; ')
}

/** A foreign text in a sentence of ours: nothing in it may look like a citation. */
function oneLine(text: string): string {
  return text
    .replace(/[`:\s\p{C}]+/gu, ' ')
    .trim()
    .slice(0, 80)
}
