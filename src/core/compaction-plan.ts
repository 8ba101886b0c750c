import type { MessageId } from './ids.ts'
import { textOf, type Message } from './message.ts'
import { reportEnvelope } from './report/report-envelope.ts'

/** Longer user messages, except tasks, are summarised with the turns. Characters. */
const MAX_KEPT_CHARS = 4_000

/**
 * The messages of a path after applying its last summary: system texts, messages to the summary's branch, the summary,
 * and everything after the last message that it covers. If that message is not before it on this path, the summary is
 * an ordinary message. The store keeps everything in its order.
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

/** Index of the last message that a summary covers; -1 if it covers none here. */
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
  /** What to summarise, oldest first, including an earlier summary and messages that stay. */
  readonly covered: readonly Message[]
  /** The last message to cover. */
  readonly summaryOf: MessageId
  /** Number of covered messages, from the first answer on. */
  readonly count: number
}

/**
 * Chooses the oldest turns to summarise, so that about `keepChars` of the newest stay. The last turn always stays, and
 * a call stays with its results. undefined: nothing can be left out. `path`: the result of `summarised`.
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

/** Start of what stays: an answer or a message, after at least one answer. */
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

/** A message with text or calls: others are in no context. */
function isAnswer({ role, parts }: Message): boolean {
  if (role !== 'assistant') return false
  return parts.some((part) => part.type === 'tool-call' || (part.type === 'text' && part.text.trim() !== ''))
}
