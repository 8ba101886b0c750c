import assert from 'node:assert/strict'
import { durable, seeded, seedMessages, rejects, throwsCode, type StoreCase } from './case.ts'
import { sampleRows, seed } from './rows.ts'

/** Grouping, isolation, order and lifetime of a closure. */
export const transactions: readonly StoreCase[] = [
  seeded('the promise resolves or rejects with what the closure returned or threw', async (store) => {
    assert.equal(await store.tx(() => 'value', durable), 'value')
    assert.equal(await store.tx(() => undefined, { durable: false }), undefined)
    const own = new Error('own')
    await assert.rejects(
      store.tx(() => {
        throw own
      }, durable),
      (error) => error === own,
    )
  }),

  seeded('inside, reads see what was written before; outside, what is committed', async (store, sample) => {
    const message = sample.message(0)
    const first = store.tx((tx) => {
      tx.insert('messages', message)
      assert.deepEqual(tx.get('messages', message.id), message)
      tx.update('messages', message.id, { state: 'interrupted' })
      assert.equal(tx.find('messages', { where: { state: 'interrupted' } }).length, 1)
      assert.equal(tx.count('messages', {}), 1)
    }, durable)
    const second = store.tx((tx) => tx.get('messages', message.id)?.state, durable)
    assert.equal(store.get('messages', message.id), undefined)
    await first
    assert.equal(await second, 'interrupted')
    assert.equal(store.get('messages', message.id)?.state, 'interrupted')
  }),

  seeded('inside a closure the store itself cannot be read', async (store, sample) => {
    await rejects(
      store.tx(() => store.get('runs', sample.run.id), durable),
      'internal',
    )
    await rejects(
      store.tx(() => store.find('runs', {}), durable),
      'internal',
    )
    assert.equal(store.count('runs', {}), 1)
  }),

  seeded('a closure that throws undoes only itself', async (store, sample) => {
    const [a, b, c] = [sample.message(0), sample.message(1), sample.message(2)]
    const outcomes = await Promise.allSettled([
      store.tx((tx) => tx.insert('messages', a), durable),
      store.tx((tx) => {
        tx.insert('messages', b)
        tx.update('messages', a.id, { state: 'interrupted' })
        tx.delete('runs', sample.run.id)
        throw new Error('after three writes')
      }, durable),
      store.tx((tx) => tx.insert('messages', c), durable),
    ])
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    assert.deepEqual(store.find('messages', {}), [a, c])
    assert.deepEqual(store.get('runs', sample.run.id), sample.run)
  }),

  seeded('a closure that throws alone undoes itself', async (store, sample) => {
    const failing = store.tx((tx) => {
      seedMessages(tx, sample, 3)
      tx.delete('conversations', sample.conversation.id)
      throw new Error('no')
    }, durable)
    await assert.rejects(failing, /^Error: no$/)
    assert.equal(store.count('messages', {}), 0)
    assert.deepEqual(store.get('branches', sample.branch.id), sample.branch)
  }),

  seeded('an error that a closure catches undoes only that one call', async (store, sample) => {
    const message = sample.message(0)
    await store.tx((tx) => {
      tx.insert('messages', message)
      assert.throws(() => tx.insert('messages', sample.message(0)))
      tx.update('messages', message.id, { state: 'interrupted' })
    }, durable)
    assert.deepEqual(store.find('messages', {}), [{ ...message, state: 'interrupted' }])
  }),

  seeded('promises settle in the order of the calls, all after the commit', async (store, sample) => {
    const settled: number[] = []
    const writes = [0, 1, 2, 3].map((position) =>
      store
        .tx((tx) => {
          tx.insert('messages', sample.message(position))
          if (position === 2) throw new Error('third')
        }, durable)
        .catch(() => undefined)
        .then(() => {
          assert.equal(store.count('messages', {}), 3)
          settled.push(position)
        }),
    )
    await Promise.all(writes)
    assert.deepEqual(settled, [0, 1, 2, 3])
  }),

  seeded('a closure may ask for another transaction, which comes after it', async (store, sample) => {
    let inner: Promise<number> | undefined
    await store.tx((tx) => {
      inner = store.tx((later) => later.count('messages', {}), durable)
      tx.insert('messages', sample.message(0))
    }, durable)
    assert.equal(await inner, 1)
  }),

  seeded('an async closure is refused, and so is what it does later', async (store, sample) => {
    let late: unknown
    let finished = () => {}
    const done = new Promise<void>((resolve) => (finished = resolve))
    const failing = store.tx(async (tx) => {
      tx.insert('messages', sample.message(0))
      await Promise.resolve()
      try {
        tx.insert('messages', sample.message(1))
      } catch (error) {
        late = error
      }
      finished()
      throw new Error('nobody hears this')
    }, durable)
    await rejects(failing, 'internal')
    await done
    assert.equal((late as { code?: string }).code, 'internal')
    assert.equal(store.count('messages', {}), 0)
  }),

  seeded('a tx used after its closure is refused', async (store) => {
    const kept = await store.tx((tx) => ({ tx }), durable)
    throwsCode(() => kept.tx.count('runs', {}), 'internal')
  }),

  seeded('1,000 closures at once are all stored, each once', async (store, sample) => {
    const rows = Array.from({ length: 1_000 }, (_, position) => sample.message(position))
    const writes = rows.map((row, i) =>
      store.tx((tx) => tx.insert('messages', row), { durable: i % 2 === 0 }),
    )
    await Promise.all(writes)
    assert.deepEqual(store.find('messages', { orderBy: 'position' }), rows)
  }),

  seeded('read-modify-write closures do not lose each other', async (store, sample) => {
    const id = sample.conversation.id
    const add = () =>
      store.tx((tx) => {
        const seq = tx.get('conversations', id)!.updatedAt + 1
        tx.update('conversations', id, { updatedAt: seq })
        tx.insert('events', sample.event(seq))
        return seq
      }, durable)
    const given = await Promise.all(Array.from({ length: 100 }, add))
    assert.deepEqual(
      given,
      Array.from({ length: 100 }, (_, i) => sample.conversation.updatedAt + i + 1),
    )
    assert.equal(store.get('conversations', id)?.updatedAt, given.at(-1))
  }),

  {
    name: 'close waits for started transactions and refuses later ones',
    async run(open) {
      const store = await open()
      const sample = sampleRows()
      const begun = store.tx((tx) => seed(tx, sample), durable)
      const closed = store.close()
      await rejects(
        store.tx(() => 1, durable),
        'conflict',
      )
      await begun
      await closed
      await store.close()
      throwsCode(() => store.get('runs', sample.run.id), 'conflict')
      throwsCode(() => store.find('runs', {}), 'conflict')
      throwsCode(() => store.count('runs', {}), 'conflict')
    },
  },
]
