import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anyCharacter } from '../../test/support/any-character.ts'
import { z } from 'zod'
import type { ConversationId } from '../core/ids.ts'
import { state, type RunState } from '../core/run-status.ts'
import { createMemoryStore } from '../store/memory.ts'
import type { Store, Tx } from '../store/port.ts'
import { openSqliteStore } from '../store/sqlite/open.ts'
import { readConversationRows } from './conversation-rows.ts'
import { documentText } from './document-text.ts'
import { exportSchema } from './document-schema.ts'
import { exportConversation } from './export-conversation.ts'
import { Conversation, countedIds, type Growth } from './fixtures/conversations.ts'
import { importConversation } from './import-conversation.ts'
import { documentMarkdown } from './markdown.ts'
import { parseExport } from './parse-export.ts'

const on = fc.nat(50)
/** Text that readers stumble over: quotes, controls, surrogates, ids, fences. */
const words = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 20 }),
  fc.constantFrom('', '```\n# x', '\u009b31m', '\u202e', 'see brn_00000000000000000000000000', '"\\\n'),
)
const stopped = fc.constantFrom<RunState>(
  state.completed,
  state.failed,
  state.cancelled('user'),
  state.paused('max_turns'),
  state.paused('restart'),
)

/** Conversations in which nothing is going on. */
const growths: fc.Arbitrary<Growth[]> = fc.array(
  fc.oneof(
    fc.record({
      grow: fc.constant('message' as const),
      on,
      role: fc.constantFrom('user' as const, 'assistant' as const, 'system' as const),
      texts: fc.array(words, { maxLength: 3 }),
    }),
    fc.record({
      grow: fc.constant('branch' as const),
      on,
      from: on,
      kind: fc.constantFrom('fork', 'subagent', 'review'),
      other: on,
    }),
    fc.record({
      grow: fc.constant('run' as const),
      on,
      state: stopped,
      costUsd: fc.option(fc.double({ min: 0, max: 9, noNaN: true })),
    }),
    fc.record({
      grow: fc.constant('call' as const),
      on,
      input: fc.jsonValue(),
      asks: fc.boolean(),
      text: words,
    }),
    fc.record({ grow: fc.constantFrom('item' as const, 'todos' as const, 'rule' as const), on, text: words }),
    fc.record({ grow: fc.constant('artifact' as const), content: fc.uint8Array({ maxLength: 50 }) }),
  ),
  { maxLength: 40 },
)

const ID = /[a-z]{3}_[0-9A-Z]{26}/g
const durable = { durable: true }
const directory = mkdtempSync(join(tmpdir(), 'offshoot-export-'))

const schema: unknown = JSON.parse(
  readFileSync(new URL('../../docs/export.schema.json', import.meta.url), 'utf8'),
)
const published = z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema)

afterAll(() => rmSync(directory, { recursive: true }))

async function grown(store: Store, growth: readonly Growth[]) {
  return await store.tx((tx) => grow(tx, growth), durable)
}

function grow(tx: Tx, growth: readonly Growth[]) {
  const conversation = new Conversation(tx, countedIds(1_000))
  for (const each of growth) conversation.grow(each)
  return conversation
}

const exported = (store: Store, { conversationId }: Pick<Conversation, 'conversationId'>) =>
  documentText(exportConversation(store, conversationId))

describe.each([
  ['memory', async () => createMemoryStore(), 60],
  ['SQLite', async () => openSqliteStore({ file: join(directory, `${files++}.db`), now: () => 1 }), 15],
] as const)('any conversation, in a %s store', (_, open, numRuns) => {
  test('is exported, imported where it is lacking, and exported equal to the byte', async () => {
    await fc.assert(
      fc.asyncProperty(growths, async (growth) => {
        await using stores = await pair(open)
        const text = exported(stores.one, await grown(stores.one, growth))
        const document = parseExport(text)
        expect(published.safeParse(JSON.parse(text)).error).toBeUndefined()
        const id = await importConversation(stores.other, document, countedIds(2_000))
        expect(id).toBe(document.id)
        expect(exported(stores.other, { conversationId: id })).toBe(text)
        expect(rowsOf(stores.other, id)).toEqual(rowsOf(stores.one, id))
      }),
      { numRuns },
    )
  })

  test('is imported where its ids are taken under new ids, equal but for them', async () => {
    await fc.assert(
      fc.asyncProperty(growths, async (growth) => {
        await using stores = await pair(open)
        const conversation = await grown(stores.one, growth)
        const text = exported(stores.one, conversation)
        const id = await importConversation(stores.one, parseExport(text), countedIds(2_000))
        expect(exported(stores.one, conversation)).toBe(text)
        const copy = exported(stores.one, { conversationId: id })
        expect(copy.replace(ID, 'id')).toBe(text.replace(ID, 'id'))
        const old = new Set(declaredIds(text))
        expect(declaredIds(copy).filter((each) => old.has(each))).toEqual([])
      }),
      { numRuns },
    )
  })
})

let files = 0

async function pair(open: () => Promise<Store>) {
  const one = await open()
  const other = await open()
  const close = async () => void (await Promise.all([one.close(), other.close()]))
  return { one, other, [Symbol.asyncDispose]: close }
}

/** Everything but rules, of which a document holds a part. */
function rowsOf(store: Store, id: ConversationId) {
  return { ...readConversationRows(store, id), rules: [] }
}

/** Ids as values of their own, not in what was said or signed. */
function declaredIds(text: string): string[] {
  return [...text.matchAll(/"(?:id|callId|\w+Id)":"([a-z]{3}_[0-9A-Z]{26})"/g)].map((match) => match[1]!)
}

describe('a conversation', () => {
  let store: Store
  beforeAll(() => void (store = createMemoryStore()))

  test('of two thousand forks of forks is exported and imported', async () => {
    const conversation = await store.tx((tx) => {
      const deep = new Conversation(tx, countedIds(5_000))
      for (let depth = 0; depth < 2_000; depth++) {
        const branchId = deep.branches.at(-1)!
        const position = { position: 0 }
        deep.branch('fork', branchId, deep.message(branchId, 'user', [deep.text('x')], position), true)
      }
      return deep
    }, durable)
    const text = exported(store, conversation)
    const other = createMemoryStore()
    const id = await importConversation(other, parseExport(text), countedIds(1))
    expect(exported(other, { conversationId: id })).toBe(text)
    expect(documentMarkdown(parseExport(text))).toContain('from message 1 of fork “a fork”')
  })
})

test('the published schema is the one that the program reads by', () => {
  expect(schema).toEqual(z.toJSONSchema(exportSchema))
})
