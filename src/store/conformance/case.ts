import assert from 'node:assert/strict'
import type { ErrorCode } from '../../core/errors.ts'
import type { MessageRow, Store, Table, Tx } from '../port.ts'
import { tables } from '../tables.ts'
import { sampleRows, seed, type Sample } from './rows.ts'

export interface StoreCase {
  readonly name: string
  /** Rejects if the store violates the case. `open` creates an empty store; the case closes it. */
  run(open: () => Promise<Store>): Promise<void>
}

export const durable = { durable: true }

/** A case that starts with a conversation, a branch and a run, and ends with a closed store. */
export function seeded(name: string, body: (store: Store, sample: Sample) => Promise<void>): StoreCase {
  return {
    name,
    async run(open) {
      const store = await open()
      const sample = sampleRows()
      try {
        await store.tx((tx) => seed(tx, sample), durable)
        await body(store, sample)
      } finally {
        await store.close()
      }
    },
  }
}

export function tableNames(): Table[] {
  return Object.keys(tables) as Table[]
}

export function seedMessages(tx: Tx, sample: Sample, count: number): MessageRow[] {
  const rows = Array.from({ length: count }, (_, position) => sample.message(position))
  rows.forEach((row) => tx.insert('messages', row))
  return rows
}

export async function conflict(store: Store, write: (tx: Tx) => void): Promise<void> {
  await rejects(store.tx(write, durable), 'conflict')
}

export async function rejects(promise: Promise<unknown>, code: ErrorCode): Promise<void> {
  await assert.rejects(promise, { name: 'OffshootError', code })
}

export function throwsCode(work: () => unknown, code: ErrorCode): void {
  assert.throws(work, { name: 'OffshootError', code })
}
