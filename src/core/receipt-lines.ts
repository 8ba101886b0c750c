import { sandboxWords } from './command-sandbox.ts'
import { listIn, receiptLists, type ReceiptList, type Receipts, type Refused } from './receipt.ts'
import { terminalLine } from './terminal-text.ts'

/** Entries named per line (`briefReceipts` keeps as many), and their total length; at least one is named. */
const MAX_NAMED = 8
const MAX_LINE_CHARS = 400
const MAX_CHARS = 120

/** Receipts for people, one line per kind. Names of files and commands cannot break a line. */
export function receiptLines(receipts: Receipts): string[] {
  return receiptLists.flatMap((list) => {
    const entries = entriesOf(receipts, list)
    const total = entries.length + (receipts.more[list] ?? 0)
    if (total === 0) return []
    const named = entries.slice(0, fitting(entries))
    const rest = total - named.length
    return [`${LABELS[list]}: ${named.join(', ')}${rest > 0 ? `, and ${rest} more` : ''}`]
  })
}

function fitting(entries: readonly string[]): number {
  let chars = 0
  const end = entries.findIndex(
    (entry, i) => i === MAX_NAMED || ((chars += entry.length) > MAX_LINE_CHARS && i > 0),
  )
  return end < 0 ? entries.length : end
}

const LABELS: Readonly<Record<ReceiptList, string>> = {
  changed: 'changed',
  read: 'read',
  commands: 'commands',
  hosts: 'network',
  connections: 'network of the sandbox',
  denied: 'denied',
  errors: 'errors',
  unknown: 'effect not known',
}

function entriesOf(receipts: Receipts, list: ReceiptList): string[] {
  switch (list) {
    case 'changed':
      return receipts.changed.map(changedEntry)
    case 'read':
      return receipts.read.map(({ path }) => line(path))
    case 'commands':
      return receipts.commands.map((each) => `${quoted(each.command)} ${ending(each)}`)
    case 'hosts':
      return receipts.hosts.map(line)
    case 'connections':
      return listIn(receipts, list).map(connectionText)
    case 'denied':
    case 'errors':
      return receipts[list].map((each) => `${refusedEntry(each)} (${line(each.why)})`)
    case 'unknown':
      return receipts.unknown.map(refusedEntry)
  }
}

type Connection = NonNullable<Receipts['connections']>[number]

export function connectionText({ host, port, allowed, sent, received }: Connection): string {
  const what = allowed ? `${sent} bytes sent, ${received} received` : 'refused'
  return `${line(host)}:${port} (${what})`
}

type Changed = Receipts['changed'][number]

function changedEntry(file: Changed): string {
  return `${line(file.path)} (${[linesOf(file), hashes(file)].filter((each) => each !== '').join(', ')})`
}

function linesOf({ before, after, added, removed }: Changed): string {
  if (before === after) return 'written as it was'
  const count = added === null || removed === null ? '' : `+${added} -${removed}`
  return before === null ? `new ${count}`.trim() : count
}

/** Enough of each hash to distinguish it. */
function hashes({ before, after }: Changed): string {
  const short = (hash: string | null) => (hash === null ? 'gone' : line(hash).slice(0, 8))
  return before === null || before === after ? short(after) : `${short(before)} to ${short(after)}`
}

function ending({ exitCode, sandbox, widened }: Receipts['commands'][number]): string {
  const end = exitCode === null ? 'no exit code' : `exit ${exitCode}`
  const reach = sandboxWords(sandbox, widened)
  return `(${[end, reach && line(reach)].filter(Boolean).join(', ')})`
}

function refusedEntry({ tool, title }: Refused): string {
  return title.startsWith('$ ') ? quoted(title.slice(2)) : line(title === '' ? tool : title)
}

function quoted(text: string): string {
  return `\`${line(text).replaceAll('`', "'")}\``
}

function line(text: string): string {
  const one = terminalLine(text)
  return one.length > MAX_CHARS ? `${one.slice(0, MAX_CHARS - 1)}…`.toWellFormed() : one
}
