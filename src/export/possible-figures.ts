import type { Part } from '../core/message.ts'
import type { ReportFacts } from '../core/report-facts.ts'

/**
 * A part as a document stores it. Older programs could compute negative durations when the clock was set back: these
 * become 0, because an import accepts no others.
 */
export function partInDocument(part: Part): Part {
  if (part.type === 'report') return { ...part, report: factsInDocument(part.report) }
  if (part.type !== 'tool-result' || part.output.subagent?.type !== 'report') return part
  return { ...part, output: { ...part.output, subagent: factsInDocument(part.output.subagent) } }
}

/** The same for the facts of a report. */
export function factsInDocument<T extends ReportFacts>(facts: T): T {
  const { figures } = facts
  if (!figures || figures.durationMs >= 0) return facts
  return { ...facts, figures: { ...figures, durationMs: 0 } }
}
