import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { sizeText } from '../../core/size-text.ts'
import { latestBackup } from './back-up.ts'

const EVERY_MS = 1_000

/**
 * A small file beside the database that records its state: `open` while a process writes, `closed` once the log is
 * merged, and the file's identity. Its time is about that of the last commit. Commits only read the clock; the file is
 * not synced, and decides only about a warning.
 */
export class Trace {
  readonly #file: string
  #touchedAt: number | undefined

  constructor(file: string) {
    this.#file = file
  }

  /** A commit was made. */
  written(): void {
    const now = performance.now()
    if (this.#touchedAt !== undefined && now - this.#touchedAt < EVERY_MS) return
    bestEffort(() => {
      if (this.#touchedAt === undefined) leave(this.#file, 'open')
      const time = new Date() // the clock of file times; `performance` loses time while the machine is suspended
      utimesSync(traceOf(this.#file), time, time)
    })
    this.#touchedAt = now
  }

  /** The connection is closed. The last one merges and removes the log. */
  closed(): void {
    if (this.#touchedAt === undefined || existsSync(`${this.#file}-wal`)) return
    bestEffort(() => leave(this.#file, 'closed'))
  }
}

/** What a database lost, judging by its files; undefined if nothing seems lost. Changes nothing. */
export interface Loss {
  readonly what: 'log' | 'content'
  readonly text: string
}

export function lossOf(file: string): Loss | undefined {
  const trace = readTrace(file)
  const found = existsSync(file) ? statSync(file) : undefined
  if (!found || existsSync(`${file}-wal`)) return undefined
  if (found.size === 0 && (trace || latestBackup(file)))
    return {
      what: 'content',
      text: `the database ${file} is empty but was not before. ${backupText(file)}`,
    }
  const isLogLost =
    trace?.state === 'open' && trace.identity === identity(file) && trace.mtimeMs > found.mtimeMs
  if (!isLogLost) return undefined
  const text = `the log of the database ${file} (-wal) was deleted after a program that wrote to it was killed: the latest changes are lost. ${backupText(file)}`
  return { what: 'log', text }
}

/** A loss whose remains were copied aside. */
export interface Kept {
  readonly text: string
  /** The loss was reported: the next start says nothing. */
  readonly said: () => void
}

/**
 * The same for a process that will write: first copies the remains aside, once. @throws the system's error if they
 * cannot be copied: then nothing may be written.
 */
export function keepWhatIsLeft(file: string): Kept | undefined {
  const loss = lossOf(file)
  if (!loss) return undefined
  const time = readTrace(file)?.mtimeMs
  const kept =
    loss.what === 'log'
      ? `What is left was copied to ${copyAside(file, time!)}.`
      : 'A new database is started.'
  const said = () =>
    bestEffort(() => {
      // another process may have started to write and recorded it in the trace
      if (readTrace(file)?.mtimeMs === time) leave(file, 'closed')
    })
  return { text: `${loss.text} ${kept}`, said }
}

/** Named after the last commit, so that a retried start makes no second copy. */
function copyAside(file: string, lastCommit: number): string {
  const { size } = statSync(file)
  const copy = `${file}.without-log-${new Date(lastCommit).toISOString().replaceAll(/[-:.]/g, '')}`
  if (!existsSync(copy)) {
    const part = `${copy}.part-${process.pid}`
    copyFileSync(file, part, constants.COPYFILE_FICLONE)
    renameSync(part, copy)
  }
  return `${copy} (${sizeText(size)})`
}

/** Copies saved after a loss or damage, oldest first. */
export function keptAside(file: string): string[] {
  const folder = dirname(file)
  if (!existsSync(`${folder}/.`)) return [] // none, or no folder
  const isKept = /^\.(rescued|without-log|damaged)-[^-]+(-\d+)?$/
  return readdirSync(folder)
    .filter((name) => name.startsWith(basename(file)) && isKept.test(name.slice(basename(file).length)))
    .toSorted()
    .map((name) => join(folder, name))
}

function backupText(file: string): string {
  const backup = latestBackup(file)
  return backup ? `The latest backup is ${backup}.` : 'No backup exists.'
}

interface Read {
  readonly state: string
  readonly identity: string
  readonly mtimeMs: number
}

function readTrace(file: string): Read | undefined {
  try {
    const [state, found] = readFileSync(traceOf(file), 'utf8').trim().split(' ')
    return { state: state ?? '', identity: found ?? '', mtimeMs: statSync(traceOf(file)).mtimeMs }
  } catch {
    return undefined
  }
}

/** Fixed length, overwritten in place: some file systems sync a file that was truncated and rewritten. */
function leave(file: string, state: 'open' | 'closed'): void {
  const text = `${`${state} ${identity(file)}`.padEnd(LENGTH)}\n`
  const descriptor = openSync(traceOf(file), constants.O_RDWR | constants.O_CREAT, 0o600)
  try {
    writeSync(descriptor, text, 0)
  } finally {
    closeSync(descriptor)
  }
}

const LENGTH = 63

function traceOf(file: string): string {
  return `${file}-trace`
}

function identity(file: string): string {
  const { dev, ino } = statSync(file)
  return `${dev}:${ino}`
}

function bestEffort(work: () => void): void {
  try {
    work()
  } catch {
    // without a trace, a loss goes unnoticed; nothing else changes
  }
}
