import { join } from 'node:path'
import { terminalLine } from '../core/terminal-text.ts'
import { systemClock } from '../exec/system-clock.ts'
import { dataHome } from '../config/homes.ts'
import type { Store } from '../store/port.ts'
import { openSqliteFile } from '../store/sqlite/open.ts'
import { writeStderr, type Io } from './io.ts'

/** The user's store, for commands that only read. What was lost of it is said on stderr. */
export async function openStore(io: Io): Promise<Store & AsyncDisposable> {
  const { openFile = openSqliteFile } = io.testPorts ?? {}
  const file = join(dataHome(io.env), 'offshoot.db')
  const losses: string[] = []
  const store = await openFile({ file, now: systemClock.now, warn: (text) => void losses.push(text) })
  for (const text of losses) await writeStderr(io, `offshoot: ${terminalLine(text)}\n`)
  return Object.assign(store, { [Symbol.asyncDispose]: () => store.close() })
}
