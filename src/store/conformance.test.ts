import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { anyCharacter } from '../../test/support/any-character.ts'
import { cpuMsOf } from '../../test/support/cpu-time.ts'
import { sampleRows, seed } from './conformance/rows.ts'
import { storeConformance } from './conformance.ts'
import { createMemoryStore } from './memory.ts'
import type { Query, Store, Tx } from './port.ts'
import { openSqliteStore } from './sqlite/open.ts'

const directory = mkdtempSync(join(tmpdir(), 'offshoot-store-'))
afterAll(() => rmSync(directory, { recursive: true }))

let files = 0
const stores: Record<string, () => Promise<Store>> = {
  memory: async () => createMemoryStore(),
  'SQLite in memory': () => openSqliteStore({ file: ':memory:', now: () => 0 }),
  'SQLite file': () => openSqliteStore({ file: join(directory, `${files++}.db`), now: () => 0 }),
}

describe.each(Object.entries(stores))('%s', (_, open) => {
  test.each(storeConformance)('$name', async (one) => {
    await expect(one.run(open)).resolves.toBeUndefined()
  })

  test('any JSON comes back', async () => {
    const store = await open()
    const sample = sampleRows()
    await store.tx((tx) => seed(tx, sample), { durable: true })
    const base = {
      conversationId: sample.conversation.id,
      verb: 'v',
      target: 't',
      createdAt: 1,
      answer: null,
      answeredAt: null,
    }
    let number = 0
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 6, stringUnit: anyCharacter }), async (args) => {
        const id = `cmd_${number++}`
        await store.tx((tx) => tx.insert('commands', { ...base, id, args }), { durable: false })
        expect(store.get('commands', id)?.args).toEqual(JSON.parse(JSON.stringify(args)))
      }),
    )
    await store.close()
  })
})

test('a store that gives back other bytes is found out at once, in few words', async () => {
  const wrong = async (): Promise<Store> => {
    const store = createMemoryStore()
    const find: Store['find'] = (table, query) =>
      store.find(table, query).map((row) => {
        const { content } = row as { readonly content?: Uint8Array }
        return content ? { ...row, content: content.map((byte) => byte ^ 1) } : row
      })
    return { ...store, find }
  }
  const one = storeConformance.find(({ name }) => name === 'bytes of any size and kind come back')!
  let error: unknown
  const run = () => one.run(wrong).catch((caught: unknown) => (error = caught))
  expect(await cpuMsOf(run)).toBeLessThan(2_000)
  expect(error).toMatchObject({ message: 'the same 3 bytes' })
})

test('a SQLite store needs no more than a file', async () => {
  const store = await openSqliteStore({ file: ':memory:' })
  expect(store.count('runs', {})).toBe(0)
  await store.close()
})

/** Random changes, many of them refused, grouped at random: both stores must hold the same after each group. */
test('the memory store and the SQLite store do the same', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(change, { maxLength: 6 }), { maxLength: 8 }), async (groups) => {
      const both = [createMemoryStore(), await openSqliteStore({ file: ':memory:', now: () => 0 })] as const
      const sample = sampleRows()
      await Promise.all(both.map((store) => store.tx((tx) => seed(tx, sample), { durable: true })))
      const messages = Array.from({ length: 8 }, (_, i) => sample.message(i))
      for (const group of groups) {
        const [a, b] = await Promise.all(both.map((store) => applyGroup(store, group, messages)))
        expect(a).toEqual(b)
        for (const query of queries)
          expect(both[0].find('messages', query)).toEqual(both[1].find('messages', query))
      }
      await Promise.all(both.map((store) => store.close()))
    }),
    { numRuns: 60 },
  )
})

const index = fc.integer({ min: 0, max: 7 })
const change = fc.record({
  verb: fc.constantFrom('insert', 'move', 'delete', 'throw'),
  index,
  position: index,
})
type Change = { verb: string; index: number; position: number }

const queries: Query<'messages'>[] = [
  {},
  { orderBy: 'position', descending: true },
  { orderBy: 'role', after: 'a', limit: 3 },
  { where: { role: 'user' }, orderBy: 'createdAt', after: 11, before: 16 },
]

async function applyGroup(
  store: Store,
  group: Change[],
  messages: ReturnType<ReturnType<typeof sampleRows>['message']>[],
) {
  const writes = group.map((one) => store.tx((tx) => applyChange(tx, one, messages), { durable: false }))
  const outcomes = await Promise.allSettled(writes)
  return outcomes.map((outcome) =>
    outcome.status === 'fulfilled' ? 'stored' : (outcome.reason as { code?: string }).code,
  )
}

function applyChange(
  tx: Tx,
  { verb, index, position }: Change,
  messages: Parameters<typeof applyGroup>[2],
): void {
  const message = messages[index]!
  if (verb === 'insert') tx.insert('messages', { ...message, position })
  else if (verb === 'delete') tx.delete('messages', message.id)
  else tx.update('messages', message.id, { position, role: position % 2 ? 'user' : 'assistant' })
  if (verb === 'throw') throw new Error('no')
}
