import type { CallId, RunId } from '../../core/ids.ts'
import { receiptLines } from '../../core/receipt-lines.ts'
import { briefReceipts, isEmpty, receiptsOf, type Fact, type Receipts } from '../../core/receipt.ts'
import type { StoredRun, ToolCall } from '../../core/run.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import type { Reader } from '../../store/port.ts'
import type { LiveRun } from './live-run.ts'

/** Receipts per call; built-in tools record fewer. */
const MAX_FACTS = 200
const MAX_COMMAND_CHARS = 1_000

/** Keeps a tool's receipts until they are written with its result. */
export function keepFact({ facts }: LiveRun, callId: CallId, fact: Fact): void {
  const known = facts.get(callId)
  if (!known) facts.set(callId, [fact])
  else if (known.length < MAX_FACTS) known.push(fact)
}

/** A receipt as stored: path relative to the workspace, command bounded. */
export function namedFrom(root: string, fact: Fact): Fact {
  if (fact.type === 'command') return { ...fact, command: fact.command.slice(0, MAX_COMMAND_CHARS) }
  return 'path' in fact ? { ...fact, path: relativeTo(root, fact.path) } : fact
}

function relativeTo(root: string, path: string): string {
  const prefix = root.endsWith('/') ? root : `${root}/`
  return path.startsWith(prefix) ? path.slice(prefix.length) : path
}

/** The actions of these runs, from the journal of their calls. */
export function readReceipts(reader: Reader, runIds: readonly RunId[]): Receipts {
  return receiptsOf(readCalls(reader, runIds))
}

export function readCalls(reader: Reader, runIds: readonly RunId[]): ToolCall[] {
  return runIds.flatMap((runId) => reader.find('tool_calls', { where: { runId }, orderBy: 'id' }))
}

/** The receipts shown with a run's report; null if it called no tool. */
export function receiptsBeside(reader: Reader, { id }: Pick<StoredRun, 'id'>): Receipts | null {
  const calls = readCalls(reader, [id])
  return calls.length === 0 ? null : briefReceipts(receiptsOf(calls))
}

/** How many receipts go into the first context of a later branch. */
const LATEST = 3

/** The latest receipts of a conversation, for the first contexts of later branches. */
export class LatestReceipts {
  #latest: { readonly id: RunId; readonly text: string }[] = []

  /** `runs`: all runs so far. */
  constructor(reader: Reader, runs: readonly StoredRun[]) {
    const stopped = runs.filter(({ endedAt }) => endedAt !== null)
    for (const run of stopped.toSorted((a, b) => b.endedAt! - a.endedAt!)) {
      if (this.#latest.length === LATEST) break
      const text = receiptText(reader, run)
      if (text) this.#latest.unshift({ id: run.id, text })
    }
  }

  /** Adds a stopped run whose receipts are stored. */
  add(reader: Reader, run: StoredRun): void {
    const text = receiptText(reader, run)
    if (!text) return
    const others = this.#latest.filter(({ id }) => id !== run.id)
    this.#latest = [...others, { id: run.id, text }].slice(-LATEST)
  }

  /** Oldest first. */
  list(): readonly string[] {
    return this.#latest.map(({ text }) => text)
  }
}

function receiptText(reader: Reader, run: StoredRun): string | null {
  const receipts = readReceipts(reader, [run.id])
  if (isEmpty(receipts)) return null
  const who = `${run.agent}: ${terminalLine(run.description).slice(0, 100).toWellFormed()} (${run.status})`
  return [who, ...receiptLines(receipts)].join('\n')
}
