import { accessSync, constants, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { errorMessage, OffshootError } from '../../core/errors.ts'
import { sizeText } from '../../core/size-text.ts'
import { dataHome, type Env } from '../../config/homes.ts'
import type { Reader } from '../../store/port.ts'
import { lookAtStore, storeSize, type StoreLook } from '../../store/sqlite/read-only-store.ts'
import { keptAside, lossOf } from '../../store/sqlite/trace.ts'
import { writerOf } from '../../store/sqlite/lock-holders.ts'
import { abandonedRuns } from '../remote/abandoned-runs.ts'
import { failed, ok, problem, warning, type Check } from './check.ts'

/** Where data lies, whether there is room, and what state the database is in. */
export async function storeChecks(env: Env): Promise<readonly Check[]> {
  try {
    const home = dataHome(env)
    const place = nearestExisting(home)
    const file = join(home, 'offshoot.db')
    return [directory(home, place), room(place), ...losses(file), ...(await database(file))]
  } catch (error) {
    return [error instanceof OffshootError ? failed('data', error) : noPlace(error)]
  }
}

/** What is gone of the database, and the copies that were kept when something was. */
function losses(file: string): Check[] {
  const loss = lossOf(file)
  const kept = keptAside(file)
  return [
    ...(loss
      ? [
          warning(
            'loss',
            loss.text,
            'The next run keeps the remaining rows and continues without the lost ones.',
          ),
        ]
      : []),
    ...(kept.length > 0
      ? [warning('kept', kept.join(', '), 'Delete them when you no longer need them.')]
      : []),
  ]
}

function noPlace(error: unknown): Check {
  const hint = 'Make it a writable directory, or set OFFSHOOT_HOME to one.'
  return problem('data', `data cannot be written: ${errorMessage(error)}`, hint, 'store_readonly')
}

function nearestExisting(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  return found || dirname(path) === path ? path : nearestExisting(dirname(path))
}

function directory(home: string, place: string): Check {
  try {
    const stats = statSync(place)
    if (!stats.isDirectory()) return noPlace(`${place} is not a directory`)
    accessSync(place, constants.W_OK | constants.X_OK)
    if (home !== place) return ok('data', `${home}, which the first run creates`)
    const mode = (stats.mode & 0o777).toString(8)
    if ((stats.mode & 0o077) === 0 || process.platform === 'win32') return ok('data', `${home}, mode ${mode}`)
    return warning(
      'data',
      `${home}, mode ${mode}: other users of this machine may be able to read it`,
      `chmod 700 ${home}`,
    )
  } catch (error) {
    return noPlace(error)
  }
}

function room(place: string): Check {
  try {
    const { bavail, bsize } = statfsSync(place)
    const free = bavail * bsize
    const message = `${sizeText(free)} free`
    if (free >= ENOUGH_BYTES) return ok('space', message)
    const hint =
      'Free space on the disk of the data directory, or set OFFSHOOT_HOME to a directory on another disk.'
    if (free >= LITTLE_BYTES) return warning('space', message, hint)
    return problem('space', message, hint, 'store_full')
  } catch (error) {
    return warning('space', `the free space is unknown: ${errorMessage(error)}`)
  }
}

const ENOUGH_BYTES = 200 * 1024 * 1024
const LITTLE_BYTES = 4 * 1024 * 1024

async function database(file: string): Promise<Check[]> {
  let look: StoreLook | null = null
  try {
    look = lookAtStore(file)
    if (!look) return [ok('database', `${file}, which the first run creates`)]
    look.check()
    return [await state(file, look), ...(look.reader ? contents(look.reader) : [])]
  } catch (error) {
    const cannotTell = error instanceof OffshootError && error.code === 'conflict'
    return [cannotTell ? warning('database', error.message, error.hint) : failed('database', error)]
  } finally {
    await look?.close()
  }
}

async function state(file: string, { version, reader }: StoreLook): Promise<Check> {
  const { bytes, logBytes } = storeSize(file)
  const facts = `${file}, version ${version}, ${sizeText(bytes)} and a log of ${sizeText(logBytes)}`
  const writer = await lastingWriter(file)
  if (writer !== undefined) {
    const hint = `End or wait for process ${writer}: until then every command that writes fails.`
    return problem('database', `${file} is locked by process ${writer}`, hint, 'store_locked')
  }
  return ok('database', `${facts}, sound${reader ? '' : '; the next run upgrades it'}`)
}

/** A process that holds the lock of writers for longer than a commit takes. */
async function lastingWriter(file: string): Promise<number | undefined> {
  let writer = writerOf(file)
  for (let looks = 0; writer !== undefined && looks < LOOKS; looks++) {
    await setTimeout(LOOK_MS)
    if (writerOf(file) !== writer) writer = undefined
  }
  return writer
}

const LOOKS = 10
const LOOK_MS = 50

function contents(reader: Reader): Check[] {
  const count = reader.count('conversations', {})
  const left = abandonedRuns(reader)
  const conversations = ok('conversations', String(count))
  if (left.length === 0) return [conversations]
  const message = `${left.length} left behind by a process that died: ${left
    .slice(0, 3)
    .map(({ id }) => id)
    .join(', ')}`
  const more = left.length > 3 ? ', ...' : ''
  return [conversations, warning('runs', message + more, 'offshoot recover resumes them.')]
}
