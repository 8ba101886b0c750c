import { randomBytes } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { OffshootError } from '../../../core/errors.ts'
import { createIds, type ConversationId, type NewId } from '../../../core/ids.ts'
import type { Store, Tx } from '../../port.ts'
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
  /**
   * Mends what was read of a conversation, so that its export can be imported: how many rows it changed. Throws where that
   * cannot be had.
   */
  readonly mend: (tx: Tx, id: ConversationId, newId: NewId) => number
  /** Is told what is gone of the database since it was used last. */
  readonly warn: (text: string) => void
}

export interface Repair extends Salvage {
  /** What was wrong. */
  readonly damage: string
  /** Rows that named what is lost, or that no import would take. */
  readonly mended: number
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
  { now, makesSense, mend, warn }: RepairOptions,
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
    const newId = createIds(now, randomBytes)
    const mended = await mendAll(fresh, (tx, id) => mend(tx, id, newId), makesSense)
    const aside = replaceDatabase(file, fresh, now())
    if (loss !== undefined) warn(loss)
    return { ...read, ...mended, damage, aside }
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

/** What cannot be mended, or shown then, is left out. */
async function mendAll(
  file: string,
  mend: (tx: Tx, id: ConversationId) => number,
  makesSense: RepairOptions['makesSense'],
): Promise<Pick<Repair, 'mended' | 'senseless'>> {
  await using store = closing(await openSqliteFile({ file }))
  const senseless: ConversationId[] = []
  let mended = 0
  for (const { id } of store.find('conversations', {}))
    try {
      mended += await store.tx((tx) => mend(tx, id), DURABLE)
      makesSense(store, id)
    } catch (error) {
      if (isOfDisk(error)) throw error
      senseless.push(id)
    }
  await store.tx((tx) => senseless.forEach((id) => tx.delete('conversations', id)), DURABLE)
  return { mended, senseless }
}

const DURABLE = { durable: true }

function isOfDisk(error: unknown): boolean {
  return error instanceof OffshootError && (error.code === 'store_full' || error.code === 'store_readonly')
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
