import { existsSync, rmSync } from 'node:fs'
import { OffshootError } from '../../../core/errors.ts'
import type { ConversationId } from '../../../core/ids.ts'
import type { Store } from '../../port.ts'
import { asStoreError, readonly } from '../sqlite-errors.ts'
import { inspectDatabase, prepareFile } from '../inspect.ts'
import { openSqliteFile } from '../open.ts'
import { lossOf } from '../trace.ts'
import { othersWith } from '../lock-holders.ts'
import { replaceDatabase } from './replace-database.ts'
import { salvage, type Salvage } from './salvage.ts'

export interface RepairOptions {
  readonly now: () => number
  /** Looks at a conversation, and throws where it cannot be shown. */
  readonly makesSense: (store: Store, id: ConversationId) => void
  /** Is told what is gone of the database since it was used last. */
  readonly warn: (text: string) => void
}

export interface Repair extends Salvage {
  /** What was wrong. */
  readonly damage: string
  /** Conversations that were read in part, and do not make sense without the rest. */
  readonly senseless: readonly ConversationId[]
  /** Where the damaged file is now. */
  readonly aside: string
}

/**
 * Brings what can be read of a damaged database into a new one in its place; undefined where nothing is damaged.
 * @throws OffshootError `store_locked` while another process has it open, `store_readonly`, `store_full`, `store_newer`,
 * `store_foreign`: nothing was changed then.
 */
export async function repairStore(
  file: string,
  { now, makesSense, warn }: RepairOptions,
): Promise<Repair | undefined> {
  if (!existsSync(file)) return undefined
  const [other] = othersWith(file)
  if (other !== undefined) throw inUse(file, other)
  let loss = lossOf(file)?.text
  const damage = await damageOf(file, makesSense, (text) => {
    loss = undefined
    warn(text)
  })
  if (damage === undefined) return undefined
  const fresh = `${file}.salvaged`
  try {
    remove(fresh)
    const read = salvage(file, fresh, now)
    const senseless = await dropSenseless(fresh, makesSense)
    const aside = replaceDatabase(file, fresh, now())
    if (loss !== undefined) warn(loss)
    return { ...read, damage, senseless, aside }
  } catch (error) {
    remove(fresh)
    throw isSystem(error) ? readonly(file, error) : asStoreError(error, file)
  }
}

async function damageOf(
  file: string,
  makesSense: RepairOptions['makesSense'],
  warn: RepairOptions['warn'],
): Promise<string | undefined> {
  try {
    if (prepareFile(file) === 'new') return undefined
    inspectDatabase(file, BUSY_MS, 'all')
    await using store = closing(await openSqliteFile({ file, busyTimeoutMs: BUSY_MS, warn }))
    for (const { id } of store.find('conversations', {})) makesSense(store, id)
    return undefined
  } catch (error) {
    if (error instanceof OffshootError && error.code === 'store_corrupt') return error.message
    throw error
  }
}

const BUSY_MS = 1_000

async function dropSenseless(
  file: string,
  makesSense: RepairOptions['makesSense'],
): Promise<ConversationId[]> {
  await using store = closing(await openSqliteFile({ file }))
  const senseless = store
    .find('conversations', {})
    .map(({ id }) => id)
    .filter((id) => {
      try {
        makesSense(store, id)
        return false
      } catch {
        return true
      }
    })
  await store.tx((tx) => senseless.forEach((id) => tx.delete('conversations', id)), { durable: true })
  return senseless
}

function closing(store: Store): Store & AsyncDisposable {
  return Object.assign(store, { [Symbol.asyncDispose]: () => store.close() })
}

function remove(file: string): void {
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(file + end, { force: true })
}

function isSystem(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && 'code' in error && error.code !== 'ENOSPC'
}

function inUse(file: string, pid: number): OffshootError {
  return new OffshootError('store_locked', `the database ${file} is open in process ${pid}`, {
    hint: `End process ${pid} first: a database is repaired while nobody has it open.`,
  })
}
