import { authorOfMessage, type BranchView, type CallView } from 'offshoot/client'
import type { MessagePage } from 'offshoot/protocol'

type Message = MessagePage['messages'][number]
type Part = Message['parts'][number]
type PartOf<T extends Part['type']> = Extract<Part, { type: T }>

/** A tool call with everything known about it. */
export interface ToolEntry {
  readonly part: PartOf<'tool-call'>
  /** Absent until it starts. */
  readonly call: CallView | undefined
  readonly result: PartOf<'tool-result'> | undefined
  /** The branch of the subagent that it started. */
  readonly branch: BranchView | undefined
}

/** An item of a transcript. */
export type Item =
  | { readonly kind: 'user'; readonly key: string; readonly message: Message }
  /** Input of an agent that no person wrote. */
  | { readonly kind: 'told'; readonly key: string; readonly message: Message }
  | {
      readonly kind: 'report'
      readonly key: string
      readonly message: Message
      readonly part: PartOf<'report'>
    }
  | { readonly kind: 'system'; readonly key: string; readonly message: Message }
  | {
      readonly kind: 'text'
      readonly key: string
      readonly message: Message
      readonly part: PartOf<'text'>
      readonly last: boolean
    }
  | {
      readonly kind: 'reasoning'
      readonly key: string
      readonly message: Message
      readonly part: PartOf<'reasoning'>
    }
  | { readonly kind: 'tool'; readonly key: string; readonly message: Message; readonly entry: ToolEntry }
  | {
      readonly kind: 'looks'
      readonly key: string
      readonly message: Message
      readonly entries: readonly ToolEntry[]
    }
  | {
      readonly kind: 'agents'
      readonly key: string
      readonly message: Message
      readonly entries: readonly ToolEntry[]
    }
  | {
      readonly kind: 'notice'
      readonly key: string
      readonly message: Message
      readonly part: PartOf<'notice'>
      /** The branch whose card this is: that of its subagent, unless an earlier item shows it. */
      readonly cardOf: string | undefined
    }
  | { readonly kind: 'file'; readonly key: string; readonly message: Message; readonly part: PartOf<'file'> }

export interface Known {
  readonly callOf: (callId: string) => CallView | undefined
  /** By the call that started them. */
  readonly branchOfCall: ReadonlyMap<string, BranchView>
}

/** Read-only tools: consecutive calls are folded into one line. */
const LOOKS: ReadonlySet<string> = new Set(['read', 'glob', 'grep', 'list'])

/** The items of a branch's messages. Consecutive read-only calls are folded; so are subagents. */
export function itemsOf(messages: readonly Message[], known: Known): readonly Item[] {
  const results = new Map(messages.flatMap((message) => message.parts.flatMap(asResult)))
  const items: Item[] = []
  for (const message of messages) {
    if (message.role === 'tool') {
      items.push(...noticesOf(message))
      continue
    }
    for (const item of itemsOfMessage(message, results, known)) join(items, item)
  }
  return withOneCardEach(items)
}

/** A subagent started by a person has a notice at its start and its end: the first one is its card. */
function withOneCardEach(items: readonly Item[]): readonly Item[] {
  const shown = new Set<string>()
  return items.map((item) => {
    if (item.kind !== 'notice' || item.cardOf === undefined) return item
    if (shown.has(item.cardOf)) return { ...item, cardOf: undefined }
    shown.add(item.cardOf)
    return item
  })
}

function asResult(part: Part): (readonly [string, PartOf<'tool-result'>])[] {
  return part.type === 'tool-result' ? [[part.callId, part]] : []
}

function itemsOfMessage(
  message: Message,
  results: ReadonlyMap<string, PartOf<'tool-result'>>,
  known: Known,
): Item[] {
  if (message.role === 'system') return [{ kind: 'system', key: message.id, message }]
  if (message.role === 'user') return itemsOfUser(message)
  const lastText = message.parts.findLast((part) => part.type === 'text')
  return message.parts.flatMap((part): Item[] => {
    const key = part.id
    switch (part.type) {
      case 'text':
        return part.text.trim() ? [{ kind: 'text', key, message, part, last: part === lastText }] : []
      case 'reasoning':
        return part.text.trim() ? [{ kind: 'reasoning', key, message, part }] : []
      case 'notice':
        return [noticeItem(message, part)]
      case 'file':
        return [{ kind: 'file', key, message, part }]
      case 'tool-call':
        return [toolItem(message, part, results, known)]
      default:
        return []
    }
  })
}

/** A person's text is one item; reports and notices in a message are separate. */
function itemsOfUser(message: Message): Item[] {
  const others = [...reportsOf(message), ...noticesOf(message)]
  const author = authorOfMessage(message)
  const isWritten = message.parts.some((part) => part.type === 'text' || part.type === 'file')
  if (!isWritten) return others
  const kind = author === undefined || author === 'person' ? 'user' : 'told'
  return [{ kind, key: message.id, message }, ...others]
}

function reportsOf(message: Message): Item[] {
  return message.parts.flatMap((part): Item[] =>
    part.type === 'report' ? [{ kind: 'report', key: part.id, message, part }] : [],
  )
}

function noticesOf(message: Message): Item[] {
  return message.parts.flatMap((part): Item[] => (part.type === 'notice' ? [noticeItem(message, part)] : []))
}

function noticeItem(message: Message, part: PartOf<'notice'>): Item {
  return { kind: 'notice', key: part.id, message, part, cardOf: part.branchId }
}

function toolItem(
  message: Message,
  part: PartOf<'tool-call'>,
  results: ReadonlyMap<string, PartOf<'tool-result'>>,
  { callOf, branchOfCall }: Known,
): Item {
  const entry: ToolEntry = {
    part,
    call: callOf(part.callId),
    result: results.get(part.callId),
    branch: branchOfCall.get(part.callId),
  }
  const key = part.id
  if (entry.branch || part.tool === 'task') return { kind: 'agents', key, message, entries: [entry] }
  const status = entry.result?.status ?? entry.call?.status
  if (LOOKS.has(part.tool) && status === 'completed') return { kind: 'looks', key, message, entries: [entry] }
  return { kind: 'tool', key, message, entry }
}

/** Adds an item, merging it with the previous one if both fold. Subagents fold only within one message. */
function join(items: Item[], item: Item): void {
  const before = items.at(-1)
  const sameMessage = before?.message === item.message
  if (item.kind === 'looks' && before?.kind === 'looks')
    items[items.length - 1] = { ...before, entries: [...before.entries, ...item.entries] }
  else if (item.kind === 'agents' && before?.kind === 'agents' && sameMessage)
    items[items.length - 1] = { ...before, entries: [...before.entries, ...item.entries] }
  else items.push(item)
}

/** `Read 6 files`, or another summary. */
export function summaryOfLooks(entries: readonly ToolEntry[]): string {
  const count = (tool: string) => entries.filter((entry) => entry.part.tool === tool).length
  const said = [
    words(count('read'), 'Read', 'file'),
    words(count('grep') + count('glob'), 'Searched', 'time'),
    words(count('list'), 'Listed', 'folder'),
  ].filter((text) => text !== '')
  return said.map((text, index) => (index === 0 ? text : text.toLowerCase())).join(', ')
}

function words(count: number, verb: string, noun: string): string {
  if (count === 0) return ''
  return `${verb} ${count} ${noun}${count === 1 ? '' : 's'}`
}
