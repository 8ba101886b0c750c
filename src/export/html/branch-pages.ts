import type { BranchId, CallId, MessageId } from '../../core/ids.ts'
import { messageNumbers } from '../../core/message-numbers.ts'
import type { ToolResultPart } from '../../core/message.ts'
import { isStopped } from '../../core/run-status.ts'
import {
  branchesOf,
  type BranchMetadata,
  type ExportDocument,
  type ExportedCall,
  type ExportedMessage,
  type PlacedBranch,
} from '../document.ts'
import { callFactsOf, type FactsByCall } from '../call-facts.ts'
import { leftPaused, type PlacedRun } from '../left-paused.ts'
import { stateWordsOf, statusLinesOfDocument, type ShownRun, type WriteOptions } from '../status-words.ts'
import { hueOf } from './format-figures.ts'
import { kindWord } from './status-labels.ts'

/** One branch as shown. Anchors are numbers, never text of the document. */
export interface BranchPage {
  readonly anchor: string
  readonly name: string
  /** Only the main branch has its bare name, because anybody can choose names. The same in Markdown. */
  readonly heading: string
  readonly type: string
  readonly agent: string
  /** A CSS class: constant per agent name. */
  readonly hue: string
  readonly inheritContext: boolean
  readonly originCallId: CallId | undefined
  readonly metadata: BranchMetadata
  readonly runs: readonly ShownRun[]
  /** Depth; 0 is the main branch. */
  readonly depth: number
  /** Its origin; undefined without an origin message. */
  readonly origin: Spot | undefined
  readonly messages: readonly ShownMessage[]
  /** The paused subagents below it that must be continued by hand. */
  readonly left: readonly PlacedRun[]
}

export interface ShownMessage {
  readonly anchor: string
  /** As in Markdown. */
  readonly number: number
  readonly message: ExportedMessage
}

/** A message that a link leads to. */
export interface Spot {
  readonly anchor: string
  readonly number: number
  readonly page: BranchPage
}

/** Lookup tables for rendering a document. */
export interface Index {
  readonly pages: readonly BranchPage[]
  readonly calls: ReadonlyMap<CallId, ExportedCall>
  /** What the journal adds to the results of calls. */
  readonly callFacts: FactsByCall
  /** The first result of a call on the same branch, shown with it; others are shown separately. */
  readonly results: ReadonlyMap<CallId, ToolResultPart>
  readonly byId: ReadonlyMap<BranchId, BranchPage>
  /** The branches that start at a message, and those that a call started. */
  readonly startedAt: ReadonlyMap<MessageId, readonly BranchPage[]>
  readonly startedBy: ReadonlyMap<CallId, BranchPage>
  /** Every call in a message. */
  readonly called: ReadonlySet<CallId>
  /** Messages that are a run's report. */
  readonly reports: ReadonlySet<MessageId>
  readonly isDriven: boolean
}

export function indexOf(document: ExportDocument, { isDriven = true }: WriteOptions = {}): Index {
  const placed = [...branchesOf(document)]
  const { called, results } = pairedResults(placed)
  const pages: BranchPage[] = []
  const byId = new Map<BranchId, BranchPage>()
  const leftAt = leftPaused(document)
  const lines = statusLinesOfDocument(document, { isDriven })
  const spots = new Map<MessageId, Spot>()
  const startedAt = new Map<MessageId, BranchPage[]>()
  const startedBy = new Map<CallId, BranchPage>()
  for (const each of placed) {
    const origin = each.originMessageId ? spots.get(each.originMessageId) : undefined
    const runs = (each.branch?.metadata.runs ?? []).map((run) => {
      const words = stateWordsOf(run, lines.get(run.id)!)
      return { ...run, words, isLeft: !isDriven && !isStopped(run.status) }
    })
    const left = leftAt.get(each.branch?.id ?? '') ?? []
    const place = { anchor: `b${pages.length}`, origin, left, runs }
    const page = branchPage(each, place, results)
    pages.push(page)
    if (each.branch) byId.set(each.branch.id, page)
    addSpots(spots, page, each.messages)
    if (each.originMessageId) addTo(startedAt, each.originMessageId, page)
    const call = each.branch?.originToolCallId
    if (call) startedBy.set(call, page)
  }
  const runs = pages.flatMap((page) => page.runs)
  return {
    pages,
    byId,
    calls: new Map(runs.flatMap((run) => run.calls).map((call) => [call.id, call])),
    callFacts: callFactsOf(document),
    results,
    startedAt,
    startedBy,
    called,
    reports: new Set(runs.flatMap((run) => run.reportMessageId ?? [])),
    isDriven,
  }
}

function addTo<Key, Value>(groups: Map<Key, Value[]>, key: Key, value: Value): void {
  const group = groups.get(key)
  if (group) group.push(value)
  else groups.set(key, [value])
}

/** Whether a result is shown with its call. */
export function isPaired({ results }: Pick<Index, 'results'>, part: ToolResultPart): boolean {
  return results.get(part.callId) === part
}

function pairedResults(placed: readonly PlacedBranch[]) {
  const called = new Set<CallId>()
  const results = new Map<CallId, ToolResultPart>()
  for (const { messages } of placed) {
    const here = new Set<CallId>()
    for (const part of messages.flatMap((message) => message.parts)) {
      if (part.type === 'tool-call') here.add(part.callId)
      else if (part.type === 'tool-result' && here.has(part.callId) && !results.has(part.callId))
        results.set(part.callId, part)
    }
    for (const callId of here) called.add(callId)
  }
  return { called, results }
}

function branchPage(
  { branch, messages }: PlacedBranch,
  { anchor, origin, left, runs }: Pick<BranchPage, 'anchor' | 'origin' | 'left' | 'runs'>,
  results: Index['results'],
): BranchPage {
  const metadata = branch?.metadata ?? { runs: [] }
  const type = branch?.type ?? 'main'
  const isMain = anchor === 'b0'
  const agent = metadata.agent ?? 'main'
  const numbers = messageNumbers(messages)
  const shown = messages
    .filter((message) => isShown(message, results))
    .map((message) => {
      const number = numbers.get(message.id)!
      return { anchor: `${anchor}m${number}`, number, message }
    })
  const name = isMain ? 'main' : metadata.label?.trim() || (type === 'human' ? 'fork' : agent)
  return {
    anchor,
    name,
    heading: isMain ? name : `${kindWord(type)} “${name}”`,
    type,
    agent,
    hue: hueOf(agent),
    inheritContext: branch?.inheritContext ?? false,
    originCallId: branch?.originToolCallId,
    metadata,
    runs,
    depth: isMain ? 0 : origin ? origin.page.depth + 1 : 1,
    origin,
    left,
    messages: shown,
  }
}

/** Excludes system messages, and messages with only results that are shown with their calls. */
function isShown({ role, parts }: ExportedMessage, results: Index['results']): boolean {
  if (role === 'system') return false
  return role !== 'tool' || parts.some((part) => part.type !== 'tool-result' || !isPaired({ results }, part))
}

/** A hidden message has its own number and links to the message before it. */
function addSpots(spots: Map<MessageId, Spot>, page: BranchPage, messages: readonly ExportedMessage[]): void {
  const numbers = messageNumbers(messages)
  let next = 0
  for (const message of messages) {
    if (page.messages[next]?.message === message) next++
    const { anchor } = page.messages[next - 1] ?? page
    spots.set(message.id, { anchor, number: numbers.get(message.id)!, page })
  }
}
