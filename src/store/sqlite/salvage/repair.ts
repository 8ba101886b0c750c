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
  /** Renders a conversation, and throws if it cannot be shown. */
  readonly makesSense: (store: Store, id: ConversationId) => void
  /**
   * Fixes a salvaged conversation so that its export can be imported; returns the number of changed rows. Throws if
   * that is impossible.
   */
  readonly mend: (tx: Tx, id: ConversationId, newId: NewId) => number
  /** Receives what the database lost since its last use. */
  readonly warn: (text: string) => void
}

export interface Repair extends Salvage {
  /** The problem found. */
  readonly damage: string
  /** Number of rows that referred to lost data, or that no import would accept. */
  readonly mended: number
  /** Conversations that were partly readable, but make no sense without the rest. */
  readonly senseless: readonly ConversationId[]
  /** Where the damaged file is now. */
  readonly aside: string
}

/**
 * Replaces a damaged database by a new one with its readable content; undefined if nothing is damaged. @throws
 * OffshootError `store_locked` while another process has it open, `store_readonly`, `store_full`, `store_newer`,
 * `store_foreign`: then nothing was changed.
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

/** Conversations that cannot be fixed or shown are left out. */
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
    hint: `Stop process ${pid} first: a database can be repaired only while no process has it open.`,
  })
}
