import assert from 'node:assert/strict'
import type { Query, Rows } from '../port.ts'
import { durable, seeded, seedMessages, throwsCode, type StoreCase } from './case.ts'

/** Which rows a query returns, and in which order. */
export const queries: readonly StoreCase[] = [
  seeded('get finds by key only', async (store, sample) => {
    assert.deepEqual(store.get('runs', sample.run.id), sample.run)
    assert.equal(store.get('runs', 'run_none'), undefined)
    assert.equal(store.get('messages', sample.run.id), undefined)
  }),

  seeded('find pages in both directions', async (store, sample) => {
    await store.tx((tx) => {
      seedMessages(tx, sample, 10)
      for (let seq = 1; seq <= 5; seq++) tx.insert('events', sample.event(seq))
    }, durable)
    const positions = (query: Query<'messages'>) =>
      store
        .find('messages', { where: { branchId: sample.branch.id }, orderBy: 'position', ...query })
        .map((row) => row.position)
    assert.deepEqual(positions({}), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    assert.deepEqual(positions({ after: 6 }), [7, 8, 9])
    assert.deepEqual(positions({ before: 2 }), [0, 1])
    assert.deepEqual(positions({ after: 2, before: 5 }), [3, 4])
    assert.deepEqual(positions({ after: 5, before: 2 }), [])
    assert.deepEqual(positions({ limit: 2 }), [0, 1])
    assert.deepEqual(positions({ limit: 0 }), [])
    assert.deepEqual(positions({ descending: true, limit: 2 }), [9, 8])
    assert.deepEqual(positions({ descending: true, before: 8, limit: 2 }), [7, 6])
    assert.deepEqual(positions({ descending: true, after: 7 }), [9, 8])
    const conversationId = sample.conversation.id
    const events = store.find('events', { where: { conversationId }, after: 3 })
    assert.deepEqual(
      events.map(({ seq }) => seq),
      [4, 5],
    )
    assert.deepEqual(
      store.find('events', { where: { conversationId }, descending: true, limit: 1 }).map(({ seq }) => seq),
      [5],
    )
  }),

  seeded('rows with equal or no ordering values are in key order, null first', async (store, sample) => {
    const items = [null, 5, 3, null, 3].map((deliveredAt) => sample.item({ deliveredAt }))
    await store.tx((tx) => items.toReversed().forEach((item) => tx.insert('inbox', item)), durable)
    const found = (query: Query<'inbox'>) =>
      store
        .find('inbox', { orderBy: 'deliveredAt', ...query })
        .map((row) => items.findIndex(({ id }) => id === row.id))
    assert.deepEqual(found({}), [0, 3, 2, 4, 1])
    assert.deepEqual(found({ descending: true }), [1, 4, 2, 3, 0])
    assert.deepEqual(found({ after: 3 }), [1])
    assert.deepEqual(found({ before: 5 }), [2, 4])
  }),

  seeded('where matches several columns, null, booleans and nested values', async (store, sample) => {
    const [a, b] = [sample.item({ text: 'a' }), sample.item({ text: 'b', deliveredAt: 9, kind: 'user' })]
    await store.tx((tx) => [a, b].forEach((item) => tx.insert('inbox', item)), durable)
    const branchId = sample.branch.id
    assert.deepEqual(store.find('inbox', { where: { branchId, deliveredAt: null } }), [a])
    assert.deepEqual(store.find('inbox', { where: { branchId, deliveredAt: 9, kind: 'user' } }), [b])
    assert.deepEqual(store.find('inbox', { where: { branchId, text: 'a', kind: 'user' } }), [])
    assert.equal(store.count('inbox', { branchId, withdrawnAt: null }), 2)
    assert.equal(store.count('inbox', { branchId, text: 'b' }), 1)
    assert.equal(store.count('runs', { background: false }), 1)
    assert.equal(store.count('runs', { limits: sample.run.limits, status: 'waiting' }), 1)
    assert.equal(store.count('runs', { costUsd: 0.25, endReason: null }), 1)
  }),

  seeded('a query for an unknown column, or without a value, is refused', async (store) => {
    const strange = (where: object) => where as Partial<Rows['runs']>
    throwsCode(() => store.find('runs', { where: strange({ nope: 1 }) }), 'internal')
    throwsCode(() => store.count('runs', strange({ 'id = id OR status': 1 })), 'internal')
    throwsCode(() => store.count('runs', strange({ branchId: undefined })), 'internal')
    throwsCode(() => store.find('runs', { orderBy: 'nope' as 'id' }), 'internal')
    throwsCode(() => store.find('artifacts', { where: { content: new Uint8Array() } }), 'internal')
  }),
]
