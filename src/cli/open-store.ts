import { join } from 'node:path'
import { systemClock } from '../exec/system-clock.ts'
import { dataHome } from '../config/homes.ts'
import type { Store } from '../store/port.ts'
import { openSqliteStore } from '../store/sqlite/open.ts'
import type { Io } from './io.ts'

/** The user's store, for commands that only read. */
export async function openStore({
  env,
  testPorts: { openFile = openSqliteStore } = {},
}: Pick<Io, 'env' | 'testPorts'>): Promise<Store & AsyncDisposable> {
  const file = join(dataHome(env), 'offshoot.db')
  const store = await openFile({ file, now: systemClock.now })
  return Object.assign(store, { [Symbol.asyncDispose]: () => store.close() })
}
