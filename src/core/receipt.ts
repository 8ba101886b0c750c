import type { z } from 'zod'
import type { SandboxForce } from './command-sandbox.ts'
import { denialReasonOf, type DenialReason } from './denial-reason.ts'
import type { factSchema } from './receipt-schema.ts'

type Known<T> = T extends unknown ? { readonly [K in keyof T as string extends K ? never : K]: T[K] } : never
/** What a tool really did, recorded by the program that did it, never by a model. */
export type Fact = Known<z.infer<typeof factSchema>>
type FactOf<T extends Fact['type']> = Omit<Extract<Fact, { readonly type: T }>, 'type'>

/** A call that did not do its work. */
export interface Refused {
  readonly tool: string
  readonly title: string
  /** For a denial, who or what denied it; for an error, its code. */
  readonly code: string
  /** For a denial, the reason as text; for an error, its code. */
  readonly why: string
}

/** What one or more runs did, each list in order. */
export interface Receipts {
  /** One entry per file: from its state before the first change to its state after the last. */
  readonly changed: readonly FactOf<'changed'>[]
  /** One entry per file, for its last read. */
  readonly read: readonly FactOf<'read'>[]
  readonly commands: readonly FactOf<'command'>[]
  readonly hosts: readonly string[]
  /** Of confined commands: one entry per host and port, allowed ones apart from refused ones. Absent: there are none. */
  readonly connections?: readonly FactOf<'connection'>[]
  readonly denied: readonly Refused[]
  readonly errors: readonly Refused[]
  /** Interrupted calls, whose effect is unknown. */
  readonly unknown: readonly Refused[]
  /** Number of entries left out of each list. */
  readonly more: { readonly [list in ReceiptList]?: number }
}
export type ReceiptList = Exclude<keyof Receipts, 'more'>

/** Source of receipts: calls in the order in which they started. */
export interface ReceiptCall {
  readonly tool: string
  readonly title: string
  readonly status: string
  readonly error: {
    readonly code: string
    readonly message: string
    readonly reason?: DenialReason
  } | null
  readonly facts?: readonly Fact[] | null
}

function commandOf({ command, exitCode, sandbox, widened }: FactOf<'command'>): FactOf<'command'> {
  const reach = { ...(sandbox ? { sandbox } : {}), ...(widened ? { widened } : {}) }
  return { command: cut(command), exitCode, ...reach }
}

/** Entries per list. */
const MAX_ENTRIES = 50
const MAX_TEXT = 300

/** Bounded receipts of these calls; entries beyond the bound are counted. */
export function receiptsOf(calls: readonly ReceiptCall[]): Receipts {
  const facts = calls.flatMap((call) => call.facts ?? [])
  const refused = (status: string, about: (call: ReceiptCall) => Pick<Refused, 'code' | 'why'>) =>
    calls.filter((call) => call.status === status).map((call) => refusedCall(call, about(call)))
  const lists = {
    changed: changedFiles(facts),
    read: [
      ...new Map(facts.flatMap((fact) => (fact.type === 'read' ? [[fact.path, fact]] : []))).values(),
    ].map(({ path, hash }) => ({ path, hash })),
    commands: facts.flatMap((fact) => (fact.type === 'command' ? [commandOf(fact)] : [])),
    hosts: [...new Set(facts.flatMap((fact) => (fact.type === 'host' ? [fact.host] : [])))],
    connections: joinedConnections(facts),
    denied: refused('denied', ({ error }) => deniedBy(error)),
    errors: refused('failed', ({ error }) => byCode(error?.code ?? 'failed')),
    unknown: refused('unknown', () => byCode('interrupted')),
  }
  const more: { [list in ReceiptList]?: number } = {}
  for (const list of receiptLists) {
    const beyond = listIn(lists, list).length - MAX_ENTRIES
    if (beyond > 0) more[list] = beyond
  }
  return { ...mapLists(lists), more }
}

/** One of the lists; those of an older program do not have all. */
export function listIn<const L extends ReceiptList>(
  receipts: Pick<Receipts, ReceiptList>,
  list: L,
): NonNullable<Receipts[L]> {
  return receipts[list] ?? []
}

export const receiptLists = [
  'changed',
  'read',
  'commands',
  'hosts',
  'connections',
  'denied',
  'errors',
  'unknown',
] as const satisfies readonly ReceiptList[]

export const noReceipts: Receipts = receiptsOf([])

/** What was between the command of a call and the machine; undefined: no command, or an older program recorded it. */
export function sandboxOf(facts: readonly Fact[] | null | undefined): SandboxForce | undefined {
  return facts?.find((fact) => fact.type === 'command')?.sandbox
}

/** Whether there is nothing to report. */
export function isEmpty(receipts: Receipts): boolean {
  return receiptLists.every((list) => listIn(receipts, list).length === 0)
}

/** Every written file, in order of the first write, without a bound. */
export function changedFiles(facts: readonly Fact[]): FactOf<'changed'>[] {
  const files = new Map<string, FactOf<'changed'>>()
  for (const fact of facts) {
    if (fact.type !== 'changed') continue
    const { path, before, after, added, removed } = fact
    const first = files.get(path)
    files.set(path, {
      path,
      before: first ? first.before : before,
      after,
      added: sum(first?.added, added),
      removed: sum(first?.removed, removed),
    })
  }
  return [...files.values()]
}

function joinedConnections(facts: readonly Fact[]): FactOf<'connection'>[] {
  const all = new Map<string, FactOf<'connection'>>()
  for (const fact of facts) {
    if (fact.type !== 'connection') continue
    const { host, port, allowed, sent, received } = fact
    const key = `${host} ${port} ${allowed}`
    const before = all.get(key)
    const bytes = { sent: sent + (before?.sent ?? 0), received: received + (before?.received ?? 0) }
    all.set(key, { host, port, allowed, ...bytes })
  }
  return [...all.values()]
}

/** Entries per list beside a report. */
const BRIEF = 8

/** The same receipts with fewer entries per list; the rest are counted. */
export function briefReceipts(receipts: Receipts): Receipts {
  const more: { [list in ReceiptList]?: number } = {}
  for (const list of receiptLists) {
    const beyond = Math.max(0, listIn(receipts, list).length - BRIEF) + (receipts.more[list] ?? 0)
    if (beyond > 0) more[list] = beyond
  }
  return { ...mapLists(receipts, BRIEF), more }
}

type Lists = Omit<Receipts, 'more'>

function mapLists(
  { changed, read, commands, hosts, connections = [], denied, errors, unknown }: Lists,
  most = MAX_ENTRIES,
): Lists {
  return {
    changed: changed.slice(0, most),
    read: read.slice(0, most),
    commands: commands.slice(0, most),
    hosts: hosts.slice(0, most),
    ...(connections.length > 0 && { connections: connections.slice(0, most) }),
    denied: denied.slice(0, most),
    errors: errors.slice(0, most),
    unknown: unknown.slice(0, most),
  }
}

function refusedCall({ tool, title }: ReceiptCall, { code, why }: Pick<Refused, 'code' | 'why'>): Refused {
  return { tool, title: cut(title), code, why: cut(why) }
}

function deniedBy(error: ReceiptCall['error']) {
  return { code: denialReasonOf(error ?? { code: 'denied' }), why: error?.message ?? 'denied' }
}

function byCode(code: string) {
  return { code, why: code }
}

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…`.toWellFormed() : text
}

function sum(a: number | null | undefined, b: number | null): number | null {
  return a === null || b === null ? null : (a ?? 0) + b
}
