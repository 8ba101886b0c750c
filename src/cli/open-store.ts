import { statSync } from 'node:fs'
import { join } from 'node:path'
import { terminalLine } from '../core/terminal-text.ts'
import { systemClock } from '../exec/system-clock.ts'
import { dataHome } from '../config/homes.ts'
import type { Store } from '../store/port.ts'
import { openSqliteFile } from '../store/sqlite/open.ts'
import { writeStderr, type Io } from './io.ts'

type OpenedStore = Store & AsyncDisposable

/**
 * The user's store, for commands that only read or act on what is stored. Without a data directory it is empty, and the
 * directory is not created: its name may be a typing error.
 */
export async function openStore(io: Io): Promise<OpenedStore> {
  const home = dataHome(io.env)
  if (io.testPorts?.openFile || !isMissing(home)) return await openOrCreateStore(io)
  if (io.env['OFFSHOOT_HOME'])
    await writeStderr(io, `offshoot: OFFSHOOT_HOME names ${terminalLine(home)}, which does not exist\n`)
  const { createMemoryStore } = await import('../store/memory.ts')
  return disposable(createMemoryStore())
}

/** The same for commands that store something new. What was lost of the store is said on stderr. */
export async function openOrCreateStore(io: Io): Promise<OpenedStore> {
  const { openFile = openSqliteFile } = io.testPorts ?? {}
  const file = join(dataHome(io.env), 'offshoot.db')
  const losses: string[] = []
  const store = await openFile({ file, now: systemClock.now, warn: (text) => void losses.push(text) })
  for (const text of losses) await writeStderr(io, `offshoot: ${terminalLine(text)}\n`)
  return disposable(store)
}

function disposable(store: Store): OpenedStore {
  return Object.assign(store, { [Symbol.asyncDispose]: () => store.close() })
}

/** A directory that cannot be looked at is not missing: opening it says what is wrong. */
function isMissing(directory: string): boolean {
  try {
    return statSync(directory, { throwIfNoEntry: false }) === undefined
  } catch {
    return false
  }
}
