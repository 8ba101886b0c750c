import { closeSync, existsSync, openSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { errorMessage, OffshootError } from '../../core/errors.ts'
import { fileError } from './sqlite-errors.ts'

const EVERY_MS = 5

/**
 * Whether the names of the open files still lead to them. The system keeps a removed file while it is open and accepts
 * more writes: without this check, all acknowledged writes would be lost.
 */
export class StillThere {
  readonly #db: DatabaseSync
  readonly #file: string
  readonly #seen = new Map<string, string>()
  #lost: OffshootError | undefined
  #lookedAt = 0

  constructor(db: DatabaseSync, file: string) {
    this.#db = db
    this.#file = file
    if (file !== ':memory:') this.#seen.set(file, identity(file) ?? '')
  }

  /**
   * Checks the file system at most every few milliseconds: commits in between are in the copy too. Once something is
   * lost, it stays lost. @throws OffshootError `store_lost` with the path of the saved copy; `store_readonly` while the
   * files cannot be checked, which may pass.
   */
  check(): void {
    if (this.#lost) throw this.#lost
    const now = performance.now()
    if (now - this.#lookedAt < EVERY_MS) return
    for (const [path, before] of this.#seen) if (this.#identity(path) !== before) throw this.#lose(path)
    this.#lookedAt = now
  }

  /** A transaction has started: from now on the log exists while the database is open. */
  begun(): void {
    const log = `${this.#file}-wal`
    if (this.#seen.size !== 1) return
    const found = this.#identity(log)
    if (found !== undefined) this.#seen.set(log, found)
  }

  #identity(path: string): string | undefined {
    try {
      return identity(path)
    } catch (error) {
      throw fileError(error, this.#file)
    }
  }

  #lose(path: string): OffshootError {
    const what = existsSync(path) ? 'was replaced by another file' : 'was removed'
    const message = `the database ${path} ${what} while it was open`
    this.#lost = new OffshootError('store_lost', `${message}; ${rescue(this.#db, this.#file)}`, {
      hint: 'Nothing has been stored since. Stop every program that uses it, then put a copy in its place.',
    })
    return this.#lost
  }
}

/**
 * Saves everything readable, complete and only for its owner: beside the database, or in the temporary folder if its
 * own accepts no copy.
 */
function rescue(db: DatabaseSync, file: string): string {
  const time = new Date().toISOString().replaceAll(/[-:.]/g, '')
  const name = `${basename(file)}.rescued-${time}-${process.pid}`
  const failures: string[] = []
  for (const folder of [dirname(file), tmpdir()]) {
    const copy = join(folder, name)
    try {
      copyTo(copy, db)
      return `its full content is in ${copy}`
    } catch (error) {
      failures.push(`to ${copy}: ${errorMessage(error)}`)
    }
  }
  return `its content cannot be saved ${failures.join(', nor ')}`
}

function copyTo(copy: string, db: DatabaseSync): void {
  closeSync(openSync(copy, 'wx', 0o600))
  try {
    db.prepare('VACUUM INTO ?').run(copy)
  } catch (error) {
    rmSync(copy, { force: true }) // incomplete: the next folder gets all of it
    throw error
  }
}

/** Device and inode: another file of the same name has different ones. */
function identity(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats && `${stats.dev}:${stats.ino}`
}
