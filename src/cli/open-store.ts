import { join } from 'node:path'
import { systemClock } from '../exec/system-clock.ts'
import { dataHome } from '../config/homes.ts'
import type { Store } from '../store/port.ts'
import { openSqliteFile } from '../store/sqlite/open.ts'
import type { Io } from './io.ts'

/** The user's store, for commands that only read. */
export async function openStore({
  env,
  testPorts: { faults } = {},
}: Pick<Io, 'env' | 'testPorts'>): Promise<Store & AsyncDisposable> {
  const file = join(dataHome(env), 'offshoot.db')
  const store = await openSqliteFile({ file, now: systemClock.now, faults })
  return Object.assign(store, { [Symbol.asyncDispose]: () => store.close() })
}
