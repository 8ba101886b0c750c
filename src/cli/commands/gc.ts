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
import { compactFile, conversationBytes } from '../../store/sqlite/disk-space.ts'
import { writeStderr, write, type Io } from '../io.ts'
import { jsonLine } from '../terminal/json-line.ts'
import { openStore } from '../open-store.ts'
import { confirmDeletion } from '../terminal/ask-yes.ts'

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
    .option('--keep <n>', 'keep so many of the latest, however old they are', count)
    .option('--dry-run', 'only list what would be deleted')
    .option('--yes', 'do not ask for confirmation; required without a terminal')
    .option('--json', 'one JSON object')
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
    await preview(found, bytes, flags, io)
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
  await write(io, `${deleted.length} deleted, ${sizeText(freed)} given back to the disk\n`)
}

/** Without a number to keep, 90 days; with one, age alone keeps nothing. */
function retentionOf({ olderThan, keep }: GcFlags): Retention {
  const ageMs = olderThan ?? (keep === undefined ? 90 * DAY_MS : 0)
  return { before: systemClock.now() - ageMs + (ageMs === 0 ? 1 : 0), keep: keep ?? 0 }
}

async function preview(
  found: readonly Conversation[],
  bytes: ReadonlyMap<string, number>,
  { json, dryRun }: GcFlags,
  io: Io,
): Promise<void> {
  const sizeOf = ({ id }: Conversation) => bytes.get(id) ?? 0
  const total = found.reduce((sum, each) => sum + sizeOf(each), 0)
  if (json) {
    if (!dryRun) return
    const rows = found.map((each) => ({ ...each, bytes: sizeOf(each) }))
    return await write(io, jsonLine({ would_delete: rows, bytes: total }))
  }
  const line = (each: Conversation) => {
    const updated = new Date(each.updatedAt).toISOString().slice(0, 10)
    const title = terminalLine(cutText(each.title, TITLE_CHARS))
    return `${each.id}  ${updated}  ${sizeText(sizeOf(each)).padStart(8)}  ${title}  ${terminalLine(each.directory)}\n`
  }
  await write(io, found.map(line).join(''))
  const verb = dryRun ? 'would go' : 'to go'
  const what = found.length === 1 ? '1 conversation' : `${found.length} conversations`
  await write(io, `${what} ${verb}, about ${sizeText(total)}\n`)
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
    await writeStderr(io, `offshoot: the room stays with the store, which uses it again: ${why}\n`)
    return 0
  }
}

const DAY_MS = 86_400_000
const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, d: DAY_MS, w: 7 * DAY_MS }

function age(text: string): number {
  const [, digits, unit] = /^(\d{1,6})([hdw])$/.exec(text) ?? []
  if (digits && unit) return Number(digits) * UNITS[unit]!
  throw new InvalidArgumentError('a number of hours, days or weeks is expected, as 12h, 90d or 8w.')
}

function count(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('a whole number from 0 is expected.')
}
