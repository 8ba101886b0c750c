import { authorOf } from '../core/message.ts'
import { denialReasons } from '../core/denial-reason.ts'
import { listIn, receiptLists, type Receipts } from '../core/receipt.ts'
import type { ReportFacts } from '../core/report-facts.ts'
import { isPossible } from '../core/run-status.ts'
import { damaged } from './damaged-export.ts'
import type { ExportedMessage } from './document.ts'

/**
 * Checks authors and subagent facts of messages: a text for an agent has one author, other texts have none, and the
 * facts of a report are consistent. No program writes anything else, and a reader would take it for another author's
 * words. @throws OffshootError `usage` with the place.
 */
export function checkMessage(message: ExportedMessage, place: string): void {
  checkAuthors(message, place)
  message.parts.forEach((part, i) => {
    const here = `${place}.parts[${i}]`
    if (part.type === 'report') checkFacts(part.report, `${here}.report`)
    if (part.type !== 'tool-result' || !part.output.subagent) return
    const { subagent } = part.output
    const inside = `${here}.output.subagent`
    if (subagent.type === 'report') checkFacts(subagent, inside)
    if (subagent.type === 'transcript') checkState({ ...subagent, endReason: null }, inside)
  })
}

/** The facts of a report, in a message or an inbox. */
export function checkFacts(facts: ReportFacts, place: string): void {
  checkState(facts, place)
  if (facts.receipts) checkReceipts(facts.receipts, `${place}.receipts`)
}

function checkAuthors({ role, parts, runId }: ExportedMessage, place: string): void {
  let first: string | undefined
  parts.forEach((part, i) => {
    if (part.type !== 'text') return
    const here = `${place}.parts[${i}].author`
    if (role !== 'user') {
      if (part.author !== undefined) throw damaged(here, `a text of the role ${role} has no author`)
      return
    }
    const author = wordsOf(authorOf(part, { runId: runId ?? null }))
    if (author !== (first ??= author))
      throw damaged(here, `the texts of one message have one author: ${first}, and not ${author}`)
  })
}

function wordsOf(author: ReturnType<typeof authorOf>): string {
  return typeof author === 'object' && author ? `${author.agent} on ${author.branchId}` : (author ?? 'nobody')
}

function checkState(facts: Pick<ReportFacts, 'status' | 'reason' | 'endReason'>, place: string): void {
  const { status, reason, endReason } = facts
  if (isPossible(facts)) return
  const what = `the status ${status} does not fit the reason ${reason} and the endReason ${endReason}`
  throw damaged(`${place}.status`, what)
}

function checkReceipts(receipts: Receipts, place: string): void {
  for (const list of receiptLists)
    if (receipts.more[list] && listIn(receipts, list).length === 0)
      throw damaged(`${place}.more.${list}`, 'entries are left out of an empty list')
  receipts.denied.forEach(({ code }, i) => {
    if (code !== undefined && !(denialReasons as readonly string[]).includes(code))
      throw damaged(`${place}.denied[${i}].code`, `expected one of ${denialReasons.join(', ')}`)
  })
}
