import type { MessageId } from './ids.ts'
import { textOf, type Message } from './message.ts'
import { reportEnvelope } from './report/report-envelope.ts'

/** A longer user message that is no task is summarised with the turns. Characters. */
const MAX_KEPT_CHARS = 4_000

/**
 * What is left of the messages of a path once the last summary on it counts: system texts, what the branch of the
 * summary was told, the summary, and what follows the last message that it covers. Where that message does not stand
 * before it on this path, it is a message as any other. Nothing is reordered or lost in the store.
 */
export function summarised(path: readonly Message[]): readonly Message[] {
  const at = path.findLastIndex((message, i) => coveredEnd(path, message, i) >= 0)
  if (at < 0) return path
  const summary = path[at]!
  const end = coveredEnd(path, summary, at)
  const instructions = path.slice(0, end + 1).filter((message) => isInstruction(message, summary))
  const kept = instructions.filter((message, i) => i === 0 || lengthOf(message) <= MAX_KEPT_CHARS)
  return [
    ...path.slice(0, end + 1).filter((message) => message.role === 'system' || kept.includes(message)),
    summary,
    ...path.slice(end + 1).filter((message) => !isSummary(message)),
  ]
}

/** Characters, as the model reads them. */
function lengthOf({ parts }: Message): number {
  const reports = parts.map((part) =>
    part.type === 'report' ? reportEnvelope(part.report, part.text).length : 0,
  )
  return reports.reduce((sum, length) => sum + length, textOf(parts).length)
}

/** Where the last message stands that a summary covers; -1 where it covers nothing here. */
function coveredEnd(path: readonly Message[], message: Message, at: number): number {
  const id = message.state === 'complete' ? coveredBy(message) : undefined
  return id === undefined ? -1 : path.slice(0, at).findLastIndex((each) => each.id === id)
}

function coveredBy({ role, parts }: Message): MessageId | undefined {
  if (role !== 'user') return undefined
  for (const part of parts) if (part.type === 'text' && part.summaryOf) return part.summaryOf
  return undefined
}

function isSummary(message: Message): boolean {
  return coveredBy(message) !== undefined
}

function isInstruction(message: Message, { branchId }: Message): boolean {
  return message.role === 'user' && message.branchId === branchId && !isSummary(message)
}

export interface CompactionPlan {
  /** What the summary is made of, oldest first: an earlier summary and what stays as it is, too. */
  readonly covered: readonly Message[]
  /** The last of them. */
  readonly summaryOf: MessageId
  /** How many messages it stands for, from the first answer on. */
  readonly count: number
}

/**
 * Which of the oldest turns are to become a summary, so that about `keepChars` of the newest stay as they are; the last
 * turn always does, and a call is never parted from its results. undefined: nothing could be left out.
 * `path`: as `summarised` gives it.
 */
export function planCompaction(
  path: readonly Message[],
  keepChars: number,
  charsOf: (message: Message) => number,
): CompactionPlan | undefined {
  const said = path.filter(({ role }) => role !== 'system')
  const first = said.findLastIndex(isSummary) + 1
  const from = Math.max(
    first,
    said.findIndex(({ role }) => role === 'assistant'),
  )
  const start = tailStart(said, from, keepChars, charsOf)
  if (start === undefined) return undefined
  const covered = said.slice(0, start)
  return { covered, summaryOf: covered.at(-1)!.id, count: start - from }
}

/** Where what stays begins: at an answer or at what somebody said, behind one answer at least. */
function tailStart(
  said: readonly Message[],
  from: number,
  keepChars: number,
  charsOf: (message: Message) => number,
): number | undefined {
  const firstAnswer = said.findIndex((message, i) => i >= from && isAnswer(message))
  const lastAnswer = said.findLastIndex(isAnswer)
  if (firstAnswer < 0 || lastAnswer <= firstAnswer) return undefined
  let start = lastAnswer
  let chars = 0
  for (let i = said.length - 1; i > firstAnswer; i--) {
    chars += charsOf(said[i]!)
    if (chars > keepChars) break
    if (said[i]!.role !== 'tool' && i < start) start = i
  }
  return start
}

/** One that says or calls something: others stand in no context. */
function isAnswer({ role, parts }: Message): boolean {
  if (role !== 'assistant') return false
  return parts.some((part) => part.type === 'tool-call' || (part.type === 'text' && part.text.trim() !== ''))
}
