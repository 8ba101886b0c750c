import { join } from 'node:path'
import { terminalLine } from '../core/terminal-text.ts'
import { systemClock } from '../exec/system-clock.ts'
import { dataHome } from '../config/homes.ts'
import type { Store } from '../store/port.ts'
import { openSqliteFile } from '../store/sqlite/open.ts'
import { writeStderr, type Io } from './io.ts'

/** The user's store, for commands that only read. What was lost of it is said on stderr. */
export async function openStore(io: Io): Promise<Store & AsyncDisposable> {
  const file = join(dataHome(io.env), 'offshoot.db')
  const losses: string[] = []
  const warn = (text: string) => void losses.push(text)
  const store = await openSqliteFile({ file, now: systemClock.now, faults: io.testPorts?.faults, warn })
  for (const text of losses) await writeStderr(io, `offshoot: ${terminalLine(text)}\n`)
  return Object.assign(store, { [Symbol.asyncDispose]: () => store.close() })
}
