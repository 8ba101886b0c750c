import { join } from 'node:path'
import { systemClock } from '../exec/system-clock.ts'
import { dataHome, type Env } from '../runtime/config.ts'
import type { Store } from '../store/port.ts'
import { openSqliteStore } from '../store/sqlite/open.ts'

/** The user's store, for commands that only read. */
export async function openStore(env: Env): Promise<Store & AsyncDisposable> {
  const store = await openSqliteStore({ file: join(dataHome(env), 'offshoot.db'), now: systemClock.now })
  return Object.assign(store, { [Symbol.asyncDispose]: () => store.close() })
}
