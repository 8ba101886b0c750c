import assert from 'node:assert/strict'
import type { Rows, Store, Table } from '../port.ts'
import { tables } from '../tables.ts'
import { durable, seeded, tableNames, seedMessages, conflict, rejects, type StoreCase } from './case.ts'
import { seedEverything } from './rows.ts'

/** Keys, foreign keys, cascades, updates. */
export const integrity: readonly StoreCase[] = [
  seeded('a key is unique', async (store, sample) => {
    await conflict(store, (tx) => tx.insert('runs', sample.run))
    await store.tx((tx) => tx.insert('events', sample.event(1)), durable)
    await conflict(store, (tx) => tx.insert('events', sample.event(1)))
  }),

  seeded('unique pairs are unique, except for nulls', async (store, sample) => {
    const stop = { fromRunId: sample.run.id, stopNo: 1 }
    await store.tx((tx) => {
      tx.insert('messages', sample.message(0))
      tx.insert('artifacts', sample.artifact('same', new Uint8Array([1])))
      tx.insert('inbox', sample.item(stop))
      tx.insert('inbox', sample.item({ ...stop, stopNo: 2 }))
      tx.insert('inbox', sample.item())
      tx.insert('inbox', sample.item())
    }, durable)
    await conflict(store, (tx) => tx.insert('messages', sample.message(0)))
    await conflict(store, (tx) => tx.insert('artifacts', sample.artifact('same', new Uint8Array([2]))))
    await conflict(store, (tx) => tx.insert('inbox', sample.item(stop)))
    const other = sample.item()
    await store.tx((tx) => tx.insert('inbox', other), durable)
    await conflict(store, (tx) => tx.update('inbox', other.id, stop))
    assert.equal(store.count('inbox', {}), 5)
  }),

  seeded('every foreign key needs its row immediately', async (store, sample) => {
    await store.tx((tx) => tx.delete('conversations', sample.conversation.id), durable)
    const rows = await store.tx((tx) => seedEverything(tx, sample), durable)
    const fork = rows.get('branches')!.at(-1) as Rows['branches']
    for (const table of tableNames()) {
      // a lease is as unique as its only reference
      const key =
        { events: { seq: 99 }, todos: { branchId: fork.id }, leases: {} }[table as string] ?? NEW_KEY
      for (const column of Object.keys(tables[table].references)) {
        const row = { ...rows.get(table)!.at(-1)!, ...key }
        if (table !== 'leases') assert.equal(await tried(store, table, row), 'done')
        assert.equal(
          await tried(store, table, { ...row, [column]: 'none' }),
          'conflict',
          `${table}.${column}`,
        )
      }
    }
    await conflict(store, (tx) => tx.update('runs', sample.run.id, { reportMessageId: sample.id('msg') }))
  }),

  seeded(
    'deleting a conversation deletes everything that belongs to it, and nothing of another',
    async (store, sample) => {
      const other = { ...sample.conversation, id: sample.id('cnv') }
      await store.tx((tx) => {
        tx.delete('conversations', sample.conversation.id)
        seedEverything(tx, sample)
        tx.insert('conversations', other)
        tx.insert('branches', { ...sample.branch, id: sample.id('brn'), conversationId: other.id })
      }, durable)
      assert.equal(await store.tx((tx) => tx.delete('conversations', sample.conversation.id), durable), true)
      const stays = ['conversations', 'branches', 'idempotency']
      for (const table of tableNames())
        assert.equal(store.count(table, {}), stays.includes(table) ? 1 : 0, table)
      assert.equal(await store.tx((tx) => tx.delete('conversations', sample.conversation.id), durable), false)
    },
  ),

  seeded('deleting a branch deletes its messages, parts, runs and forks', async (store, sample) => {
    await store.tx((tx) => {
      tx.delete('conversations', sample.conversation.id)
      seedEverything(tx, sample)
      tx.delete('branches', sample.branch.id)
    }, durable)
    for (const table of [
      'branches',
      'messages',
      'parts',
      'runs',
      'tool_calls',
      'approvals',
      'questions',
      'inbox',
      'todos',
    ] as const) {
      assert.equal(store.count(table, {}), 0, table)
    }
    assert.deepEqual(store.get('conversations', sample.conversation.id), sample.conversation)
  }),

  seeded('a conversation whose forks are 2,000 deep can be deleted', async (store, sample) => {
    await store.tx((tx) => {
      let parentBranchId = sample.branch.id
      for (let depth = 0; depth < 2_000; depth++) {
        const message = sample.message(0, { branchId: parentBranchId })
        tx.insert('messages', message)
        const id = sample.id('brn')
        tx.insert('branches', {
          ...sample.branch,
          id,
          number: null,
          kind: 'fork',
          parentBranchId,
          originMessageId: message.id,
        })
        parentBranchId = id
      }
      tx.delete('conversations', sample.conversation.id)
    }, durable)
    assert.equal(store.count('branches', {}), 0)
    assert.equal(store.count('messages', {}), 0)
  }),

  seeded('update changes the named columns of one row', async (store, sample) => {
    const [a, b] = await store.tx((tx) => seedMessages(tx, sample, 2), durable)
    await store.tx((tx) => {
      tx.update('messages', a!.id, { position: 7, usage: sample.run.usage })
      tx.update('messages', a!.id, {})
      tx.update('runs', sample.run.id, { waitingFor: null, background: true })
    }, durable)
    assert.deepEqual(store.find('messages', { orderBy: 'position' }), [
      b,
      { ...a, position: 7, usage: sample.run.usage },
    ])
    assert.deepEqual(store.get('runs', sample.run.id), { ...sample.run, waitingFor: null, background: true })
    assert.deepEqual(store.find('messages', { where: { branchId: sample.branch.id, position: 0 } }), [])
  }),

  seeded('update of a missing row is not_found, and a change of key is refused', async (store, sample) => {
    await rejects(
      store.tx((tx) => tx.update('runs', 'run_none', { turns: 1 }), durable),
      'not_found',
    )
    await rejects(
      store.tx((tx) => tx.update('runs', 'run_none', {}), durable),
      'not_found',
    )
    await store.tx((tx) => tx.update('runs', sample.run.id, { ...sample.run, turns: 9 }), durable)
    assert.equal(store.get('runs', sample.run.id)?.turns, 9)
    await rejects(
      store.tx((tx) => tx.update('runs', sample.run.id, { id: sample.id('run') }), durable),
      'internal',
    )
  }),
]

/** So that only a foreign key can be wrong with a row. */
const NEW_KEY = { id: 'new', position: 99, stopNo: 99, hash: 'new', number: 99 }

/** The outcome of an insert, which is undone in any case. */
async function tried(store: Store, table: Table, row: object): Promise<unknown> {
  const undone = store.tx((tx) => {
    tx.insert(table, row as Rows[typeof table])
    throw Object.assign(new Error('undo'), { code: 'done' })
  }, durable)
  return undone.catch((error: { code: unknown }) => error.code)
}
