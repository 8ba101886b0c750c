import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { InvalidArgumentError, type Command } from 'commander'
import type { Conversation } from '../../core/conversation.ts'
import { cutText } from '../../core/cut-text.ts'
import { TITLE_CHARS } from '../../runtime/conversation/open-conversation.ts'
import { errorMessage } from '../../core/errors.ts'
import { sizeText } from '../../core/size-text.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import { systemClock } from '../../exec/system-clock.ts'
import { dataHome } from '../../config/homes.ts'
import { Ownership } from '../../runtime/ownership/leases.ts'
import { deleteExpired, expired, type Retention } from '../../runtime/host/retention.ts'
import type { Reader } from '../../store/port.ts'
import { compactFile, conversationBytes } from '../../store/sqlite/disk-space.ts'
import { writeStderr, write, type Io } from '../io.ts'
import { jsonLine } from '../terminal/json-line.ts'
import { openStore } from '../open-store.ts'
import { confirmDeletion } from '../terminal/ask-yes.ts'
import { outputColumns } from '../terminal/hanging-lines.ts'
import { areHere, tableLines, type TableColumn } from '../terminal/table.ts'
import { shortId } from '../typed-id.ts'

interface GcFlags {
  readonly olderThan?: number
  readonly keep?: number
  readonly dryRun?: true
  readonly yes?: true
  readonly json?: true
}

export function gcCommand(program: Command, io: Io): void {
  program
    .command('gc')
    .description('delete old conversations, and free their disk space')
    .option(
      '--older-than <age>',
      'delete conversations unchanged for this long: 90d, 12h (default: 90d; with --keep: any age)',
      age,
    )
    .option('--keep <n>', 'keep the latest N, regardless of age', count)
    .option('--dry-run', 'only list what would be deleted')
    .option('--yes', 'do not ask for confirmation; required without a terminal')
    .option('--json', 'print one JSON object')
    .action((flags: GcFlags) => collect(flags, io))
}

async function collect(flags: GcFlags, io: Io): Promise<void> {
  const file = join(dataHome(io.env), 'offshoot.db')
  const retention = retentionOf(flags)
  const deleted: Conversation['id'][] = []
  let bytes: Map<Conversation['id'], number>
  {
    await using store = await openStore(io)
    const ports = { store, ownership: new Ownership({ store, clock: systemClock, owner: randomUUID() }) }
    const found = expired(ports, retention)
    bytes = conversationBytes(file)
    await preview({ store, found, bytes }, flags, io)
    if (found.length === 0 || flags.dryRun || !(await agreed(found.length, flags, io))) return
    deleted.push(
      ...(await deleteExpired(
        ports,
        found.map(({ id }) => id),
        retention,
      )),
    )
  }
  const freed = await releaseSpace(file, io)
  if (flags.json) return await write(io, jsonLine({ deleted, freed_bytes: freed }))
  await write(io, `${deleted.length} deleted, ${sizeText(freed)} returned to the disk\n`)
}

/** Without a number to keep, 90 days; with one, age alone keeps nothing. */
function retentionOf({ olderThan, keep }: GcFlags): Retention {
  const ageMs = olderThan ?? (keep === undefined ? 90 * DAY_MS : 0)
  return { before: systemClock.now() - ageMs + (ageMs === 0 ? 1 : 0), keep: keep ?? 0 }
}

interface Found {
  readonly store: Reader
  readonly found: readonly Conversation[]
  readonly bytes: ReadonlyMap<string, number>
}

async function preview({ store, found, bytes }: Found, { json, dryRun }: GcFlags, io: Io): Promise<void> {
  const sizeOf = ({ id }: Conversation) => bytes.get(id) ?? 0
  const total = found.reduce((sum, each) => sum + sizeOf(each), 0)
  if (json) {
    if (!dryRun) return
    const rows = found.map((each) => ({ ...each, bytes: sizeOf(each) }))
    return await write(io, jsonLine({ would_delete: rows, bytes: total }))
  }
  const isTerminal = io.stdout.isTTY
  const rows = found.map((each) => [
    isTerminal ? shortId(store, each.id) : each.id,
    new Date(each.updatedAt).toISOString().slice(0, 10),
    isTerminal ? sizeText(sizeOf(each)) : sizeText(sizeOf(each)).padStart(8),
    terminalLine(cutText(each.title, TITLE_CHARS)),
    terminalLine(each.directory),
  ])
  if (isTerminal && rows.length > 0) await write(io, terminalTable(rows, io))
  else await write(io, rows.map((cells) => `${cells.join('  ')}\n`).join(''))
  const verb = dryRun ? 'would be deleted' : 'to delete'
  const what = found.length === 1 ? '1 conversation' : `${found.length} conversations`
  await write(io, `${what} ${verb}, about ${sizeText(total)}\n`)
}

const COLUMNS: readonly TableColumn[] = [
  { title: 'ID' },
  { title: 'CHANGED' },
  { title: 'SIZE' },
  { title: 'TITLE', isFlexible: true },
  { title: 'DIRECTORY', isFlexible: true },
]

function terminalTable(rows: readonly (readonly string[])[], io: Io): string {
  const isHere = areHere(
    rows.map((cells) => cells.at(-1)!),
    io,
  )
  const columns = isHere ? COLUMNS.slice(0, -1) : COLUMNS
  const lines = tableLines(
    columns,
    rows.map((cells) => ({ cells })),
    outputColumns(io),
  )
  return lines.map((each) => `${each}\n`).join('')
}

/** @throws OffshootError `usage` without a terminal. */
async function agreed(found: number, { yes }: GcFlags, io: Io): Promise<boolean> {
  if (yes) return true
  const what = found === 1 ? '1 conversation' : `${found} conversations`
  const hint = 'offshoot gc --yes deletes without asking, offshoot gc --dry-run only lists'
  return await confirmDeletion({ what, command: 'gc', hint }, io)
}

/** What is deleted is deleted; its room is used again if it cannot be given back now. */
async function releaseSpace(file: string, io: Io): Promise<number> {
  try {
    return compactFile(file)
  } catch (error) {
    const why = terminalLine(errorMessage(error))
    await writeStderr(io, `offshoot: the file keeps the space for later rows: ${why}\n`)
    return 0
  }
}

const DAY_MS = 86_400_000
const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, d: DAY_MS, w: 7 * DAY_MS }

function age(text: string): number {
  const [, digits, unit] = /^(\d{1,6})([hdw])$/.exec(text) ?? []
  if (digits && unit) return Number(digits) * UNITS[unit]!
  throw new InvalidArgumentError('Expected hours, days or weeks, such as 12h, 90d or 8w.')
}

function count(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Expected a whole number, 0 or more.')
}
