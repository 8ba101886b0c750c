// A lock between processes: a directory with one entry, whose name says which processes hold it. It can outlive a
// crash of its holder, so the name carries what tells whether that still runs; a dead holder's lock is taken over.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** @typedef {{ share(pid: number): void, release(): void }} Lock */

const POLL_MS = 200
const WAIT_MS = 15 * 60_000

/** The lock cannot be had; the message says what to do. */
export class LockError extends Error {}

/**
 * Waits until `directory` is this process's lock, at most 15 minutes.
 * @param {string} directory
 * @returns {Promise<Lock>}
 */
export async function acquireLock(directory) {
  const mine = `${os.hostname()}~${processMark(process.pid)}`
  let told = false
  for (const deadline = Date.now() + WAIT_MS; Date.now() < deadline; await delay(POLL_MS)) {
    if (takeFree(directory, mine)) return heldLock(directory, mine)
    const holder = holderOf(directory)
    if (holder === undefined) continue
    if (!isAlive(holder) && takeOver(directory, holder, mine)) return heldLock(directory, mine)
    if (!told) process.stderr.write(`Waiting for another install (${describe(holder)})...\n`)
    told = true
  }
  throw new LockError(
    `Gave up waiting for another install (${describe(holderOf(directory) ?? '')}): if there is none, delete ` +
      `${directory} and run the same command again.`,
  )
}

/**
 * Made aside and moved into place, so that the lock never stands without its holder's name.
 * @param {string} directory
 * @param {string} name
 */
function takeFree(directory, name) {
  const aside = `${directory}.${process.pid}`
  try {
    fs.mkdirSync(aside, { recursive: true })
    fs.writeFileSync(path.join(aside, name), '')
  } catch (error) {
    const { message } = /** @type {Error} */ (error)
    throw new LockError(`Cannot install here (${message}): make the folder writable, or use a copy of it.`)
  }
  if (isMoved(aside, directory)) return true
  fs.rmSync(aside, { recursive: true })
  return false
}

/**
 * Renaming the dead holder's own entry lets exactly one of several waiting processes through.
 * @param {string} directory
 * @param {string} holder
 * @param {string} name
 */
function takeOver(directory, holder, name) {
  return isMoved(path.join(directory, holder), path.join(directory, name))
}

/**
 * @param {string} from
 * @param {string} to
 */
function isMoved(from, to) {
  try {
    fs.renameSync(from, to)
    return true
  } catch {
    return false
  }
}

/**
 * @param {string} directory
 * @returns {string | undefined}
 */
function holderOf(directory) {
  try {
    return fs.readdirSync(directory)[0]
  } catch {
    return undefined
  }
}

/**
 * @param {string} directory
 * @param {string} name
 * @returns {Lock}
 */
function heldLock(directory, name) {
  return {
    // From here on the lock counts as held while `pid` lives, too.
    share(pid) {
      const shared = `${name}~${processMark(pid)}`
      fs.renameSync(path.join(directory, name), path.join(directory, shared))
      name = shared
    },
    release() {
      fs.rmSync(path.join(directory, name), { force: true })
      try {
        fs.rmdirSync(directory)
      } catch {
        // Gone already, or taken by the next process between these two lines.
      }
    },
  }
}

/** @param {string} holder */
function describe(holder) {
  const [host, mark = ''] = holder.split('~')
  return `process ${mark.split('.')[0]} on ${host}`
}

/**
 * Of another machine's processes (a shared folder) nothing can be known: they count as alive.
 * @param {string} holder
 */
function isAlive(holder) {
  const [host, ...marks] = holder.split('~')
  if (host !== os.hostname()) return true
  return marks.some((mark) => !mark.endsWith('.gone') && mark === processMark(Number(mark.split('.')[0])))
}

/**
 * `pid.startTime`, where the system tells the start time, so that a reused pid is not taken for the holder.
 * @param {number} pid
 */
function processMark(pid) {
  if (fs.existsSync('/proc/self/stat')) return `${pid}.${startTime(pid)}`
  return `${pid}.${isRunning(pid) ? 'running' : 'gone'}`
}

/** @param {number} pid */
function startTime(pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    // Fields 3 (state) and 22 (start time) of proc(5); the name before them may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? 'gone' : fields[19]
  } catch {
    return 'gone'
  }
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM'
  }
}
