import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { expect } from 'vitest'
import type { ConversationId, NewId } from '../../src/core/ids.ts'
import type { Part } from '../../src/core/message.ts'
import { state } from '../../src/core/run-status.ts'
import { documentText } from '../../src/export/document-text.ts'
import { exportConversation } from '../../src/export/export-conversation.ts'
import { Conversation, countedIds } from '../../src/export/fixtures/conversations.ts'
import { importConversation } from '../../src/export/import-conversation.ts'
import { mendConversation } from '../../src/export/mend/mend-conversation.ts'
import { parseExport } from '../../src/export/parse-export.ts'
import { createMemoryStore } from '../../src/store/memory.ts'
import type { Reader, Store } from '../../src/store/port.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { repairStore, type Repair } from '../../src/store/sqlite/salvage/repair.ts'

export const PAGE = 4096
export const CONVERSATIONS = 6

const durable = { durable: true }

/** A store with conversations in it, and a copy that is damaged and repaired. */
export class DamagedStore implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'offshoot-salvage-'))
  readonly whole = join(this.#folder, 'whole.db')
  readonly file = join(this.#folder, 'offshoot.db')
  /** What each of the conversations is, as a document. */
  documents: Map<string, string> = new Map()

  static async create(): Promise<DamagedStore> {
    const made = new DamagedStore()
    const store = await openSqliteStore({ file: made.whole })
    for (let i = 0; i < CONVERSATIONS; i++)
      await store.tx((tx) => grown(new Conversation(tx, countedIds(i * 1e9))), durable)
    made.documents = documentsOf(store)
    await store.close()
    return made
  }

  /** A copy of the whole one, and of nothing else. */
  renew(): void {
    for (const end of ['', '-wal', '-shm', '-trace']) rmSync(this.file + end, { force: true })
    copyFileSync(this.whole, this.file)
  }

  damage(change: (bytes: Buffer) => Buffer | void): void {
    const bytes = readFileSync(this.file)
    writeFileSync(this.file, change(bytes) ?? bytes)
  }

  repair(): Promise<Repair | undefined> {
    return repairStore(this.file, {
      now: () => 5_000,
      makesSense: documentOf,
      mend: (tx, id, newId) => mendConversation(tx, id, { newId, now: () => 5_000 }),
      warn: expect.unreachable,
    })
  }

  async opened<T>(look: (store: Store) => T): Promise<Awaited<T>> {
    const store = await openSqliteStore({ file: this.file })
    try {
      return await look(store)
    } finally {
      await store.close()
    }
  }

  /** Parts that say something else than was stored, without a notice that says so. */
  takenAsGenuine(): string[] {
    const before = textsOf(this.whole)
    const now = textsOf(this.file)
    const parts = [...now.values()].map((part) => JSON.parse(part) as Part)
    const marked = new Set(
      parts.flatMap((part) => (part.type === 'notice' && part.damaged ? [part.damaged] : [])),
    )
    const isNotice = (part: string) => (JSON.parse(part) as Part).type === 'notice'
    return [...now].flatMap(([id, part]) =>
      before.get(id) === part || isNotice(part) || marked.has(id as never) ? [] : [part],
    )
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true })
  }
}

/** Everything is in order, and each conversation can be exported and imported. */
export async function expectSound(damaged: DamagedStore): Promise<Map<string, string>> {
  const db = new DatabaseSync(damaged.file, { readOnly: true })
  expect(db.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  expect(db.prepare('PRAGMA foreign_key_check').all()).toEqual([])
  db.close()
  const documents = await damaged.opened(documentsOf)
  const mains = await damaged.opened((store) => store.find('branches', { where: { kind: 'main' } }))
  expect(mains.map(({ conversationId }) => conversationId).sort()).toEqual([...documents.keys()].sort())
  const other = createMemoryStore()
  const newId = countedIds(7e12)
  for (const text of documents.values()) await expectImport(other, text, newId)
  return documents
}

/** It arrives as a document that arrives as itself. */
async function expectImport(store: Store, text: string, newId: NewId): Promise<void> {
  const id = await importConversation(store, parseExport(text), newId)
  const once = documentOf(store, id)
  expect(documentText(parseExport(once))).toBe(once)
}

function documentsOf(store: Reader): Map<string, string> {
  return new Map(store.find('conversations', {}).map(({ id }) => [id, documentOf(store, id)]))
}

export function documentOf(store: Reader, id: ConversationId): string {
  return documentText(exportConversation(store, id))
}

/** With everything that names something else. */
function grown(conversation: Conversation): void {
  for (let on = 0; on < 12; on++) {
    const texts = [`text ${on}`, 'long '.repeat(on === 5 ? 4_000 : 20)]
    conversation.grow({ grow: 'message', on, role: on % 2 ? 'assistant' : 'user', texts })
    if (on % 3 === 0) conversation.grow({ grow: 'branch', on, from: on, kind: 'subagent', other: on })
    conversation.grow({ grow: 'run', on, state: state.completed, costUsd: 0.5 })
    conversation.grow({ grow: 'call', on, input: { path: 'a.ts' }, asks: on % 2 === 0, text: 'result' })
    conversation.grow({ grow: 'item', on, text: 'a report' })
    conversation.grow({ grow: 'rule', on, text: 'x' })
    conversation.grow({ grow: 'todos', on, text: 'x' })
    conversation.report(conversation.branches[0]!, 'a report that was read')
  }
  conversation.grow({ grow: 'artifact', content: new Uint8Array(20_000).map((_, i) => i * i * 7) })
}

/** A part of the store by its text, for each of its parts. */
function textsOf(path: string): Map<string, string> {
  const db = new DatabaseSync(path, { readOnly: true })
  const rows = db.prepare('SELECT id, part FROM parts').all() as unknown as { id: string; part: string }[]
  db.close()
  return new Map(rows.map(({ id, part }) => [id, part]))
}

/** Pages are zeroed, overwritten, cut off, or half written. */
const blow = fc.record({
  page: fc.nat(1_000),
  how: fc.constantFrom('zeros', 'noise', 'half', 'swapped', 'cut', 'bits', 'letters'),
  noise: fc.uint8Array({ minLength: 16, maxLength: 64 }),
})

/** Whatever pages are damaged: a repair never fails, and what it brings back is sound, and can be exported and imported. */
export async function expectRepairs(store: DamagedStore, numRuns: number): Promise<void> {
  const check = fc.asyncProperty(fc.array(blow, { minLength: 1, maxLength: 12 }), async (blows) => {
    store.renew()
    store.damage((bytes) => blows.reduce(struck, bytes))
    const repaired = await store.repair().catch((error: unknown) => error)
    if (repaired instanceof Error) {
      expect(repaired).toMatchObject({ code: 'store_foreign' })
      return
    }
    const found = [...(await expectSound(store)).keys()]
    // a wrong bit in an id makes another id, for which there is no checksum
    if (blows.every(({ how }) => how !== 'bits'))
      expect(found.filter((id) => !store.documents.has(id))).toEqual([])
    if (!repaired) return
    expect((repaired as Repair).senseless).toEqual([])
    expect(store.takenAsGenuine()).toEqual([])
    rmSync((repaired as Repair).aside)
  })
  await fc.assert(check, { numRuns, endOnFailure: true })
}

function struck(
  bytes: Buffer,
  { page, how, noise }: { page: number; how: string; noise: Uint8Array },
): Buffer {
  const pages = Math.floor(bytes.length / PAGE)
  if (pages < 2) return bytes
  const at = (page % pages) * PAGE
  switch (how) {
    case 'zeros':
      return bytes.fill(0, at, at + PAGE)
    case 'noise':
      return bytes.fill(noise, at, at + PAGE)
    case 'half':
      return bytes.fill(0, at + PAGE / 2, at + PAGE)
    case 'bits':
      for (const each of noise) bytes[at + each * 16]! ^= 4
      return bytes
    case 'letters':
      for (let from = at; (from = bytes.indexOf('text ', from)) > 0 && from < at + PAGE; from++)
        bytes[from] = 0x54
      return bytes
    case 'swapped':
      bytes.copy(bytes, at, ((page * 7) % pages) * PAGE, ((page * 7) % pages) * PAGE + PAGE)
      return bytes
    default:
      return bytes.subarray(0, Math.max(PAGE, bytes.length - (page % 8) * PAGE - 100))
  }
}
