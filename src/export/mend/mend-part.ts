import { errorMessage } from '../../core/errors.ts'
import type { NoticePart, Part, Role, ToolOutput } from '../../core/message.ts'
import type { ReportFacts, SubagentAnswer } from '../../core/report-facts.ts'
import type { Rows } from '../../store/port.ts'
import { checkFacts, checkMessage } from '../check-messages.ts'
import { partSchema } from '../part-schema.ts'
import { partInDocument } from '../possible-figures.ts'

/** A part that can be shown and imported. `lost`: its cleared references, for a notice. */
export interface MendedPart {
  readonly part: Part
  readonly lost: readonly string[]
}

/** Whether a row with this id was read. */
export type IsKnown = (id: string) => boolean

/** Undefined if nothing is wrong with it. */
export function mendPart(row: Rows['parts'], role: Role, isKnown: IsKnown): MendedPart | undefined {
  const part = row.part.id === row.id ? row.part : { ...row.part, id: row.id }
  if (!isReadable(part)) return { part: unreadable(row), lost: [] }
  const mended = withoutLost(part, isKnown)
  const said = role === 'user' ? mended.part : withoutAuthor(mended.part)
  if (!isPossible(said, role)) return { part: unreadable(row), lost: [] }
  return said === row.part ? undefined : { part: said, lost: mended.lost }
}

function isReadable(part: Part): boolean {
  try {
    return partSchema.safeParse(partInDocument(part)).success
  } catch {
    return false // such as a report without facts
  }
}

function isPossible(part: Part, role: Role): boolean {
  try {
    checkMessage({ id: '' as never, role, content: '', parts: [part], created: 0 }, '')
    return true
  } catch {
    return false
  }
}

function withoutLost(part: Part, isKnown: IsKnown): MendedPart {
  if (part.type === 'text' && part.summaryOf !== undefined && !isKnown(part.summaryOf)) {
    const { summaryOf: _, ...rest } = part
    return { part: rest, lost: ['the message that it sums up'] }
  }
  if (part.type === 'tool-result') {
    const { output, lost } = outputWithoutLost(part.output, isKnown)
    return lost.length === 0 ? { part, lost } : { part: { ...part, output }, lost }
  }
  if (part.type === 'report') {
    if (!isKnown(part.report.fromRunId) || !isKnown(part.report.branchId))
      return { part: lostReport(part.id, part.report.agent, part.text), lost: [] }
    const report = factsWithoutLost(part.report, isKnown)
    if (report !== part.report) return { part: { ...part, report }, lost: [WHOLE_TEXT] }
  }
  return { part, lost: [] }
}

const WHOLE_TEXT = 'the artifact with its whole text'

function outputWithoutLost(output: ToolOutput, isKnown: IsKnown) {
  const { artifactId, subagent, ...rest } = output
  const keepsArtifact = artifactId === undefined || isKnown(artifactId)
  const answer = subagent && answerWithoutLost(subagent, isKnown)
  const lost = [
    ...(keepsArtifact && (!answer || answer === subagent) ? [] : [WHOLE_TEXT]),
    ...(subagent && !answer ? ['the subagent that it names'] : []),
  ]
  const kept = {
    ...rest,
    ...(answer ? { subagent: answer } : {}),
    ...(keepsArtifact && artifactId !== undefined ? { artifactId } : {}),
  }
  return { output: kept, lost }
}

/** Undefined: it refers to nothing that exists, or is impossible. */
function answerWithoutLost(answer: SubagentAnswer, isKnown: IsKnown): SubagentAnswer | undefined {
  if (!isKnown(answer.branchId)) return undefined
  if (answer.type !== 'report') return answer
  return isKnown(answer.fromRunId) && areFactsPossible(answer) ? factsWithoutLost(answer, isKnown) : undefined
}

export function areFactsPossible(facts: ReportFacts): boolean {
  try {
    checkFacts(facts, '')
    return true
  } catch {
    return false
  }
}

export function factsWithoutLost<T extends ReportFacts>(facts: T, isKnown: IsKnown): T {
  if (facts.artifactId === undefined || isKnown(facts.artifactId)) return facts
  const { artifactId: _, ...rest } = facts
  return rest as T
}

/** Only a user message has one. */
function withoutAuthor(part: Part): Part {
  if (part.type !== 'text' || part.author === undefined) return part
  const { author: _, ...rest } = part
  return rest
}

/** The readable rest of an invalid part. */
export function unreadable({ id, part }: Pick<Rows['parts'], 'id' | 'part'>): NoticePart {
  const said = 'text' in part && typeof part.text === 'string' ? part.text : jsonOf(part)
  return {
    id,
    type: 'notice',
    text: `Damaged: this part cannot be read. What is left of it: ${said}`,
    damaged: id,
  }
}

function jsonOf(part: Part): string {
  try {
    return JSON.stringify(part)
  } catch (error) {
    return errorMessage(error) // it is nested too deeply
  }
}

/** Without its run, a report does not say who wrote it, how that run ended, or what it did. */
export function lostReport(id: NoticePart['id'], agent: string, text: string): NoticePart {
  return {
    id,
    type: 'notice',
    text: `Lost: the run of this report of ${agent}. The report said: ${text}`,
    damaged: id,
  }
}
