import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ConversationId } from '../../src/core/ids.ts'
import { state } from '../../src/core/run-status.ts'
import { documentText } from '../../src/export/document-text.ts'
import { buildContext } from '../../src/core/build-context.ts'
import { transcriptLines } from '../../src/cli/terminal/transcript-lines.ts'
import { readMessages } from '../../src/runtime/run/messages.ts'
import { exportConversation } from '../../src/export/export-conversation.ts'
import { Conversation, countedIds } from '../../src/export/fixtures/conversations.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { repairStore, type Repair } from '../../src/store/sqlite/salvage/repair.ts'
import type { Reader, Store } from '../../src/store/port.ts'

const PAGE = 4096

let folder: string
let whole: string
let file: string
/** What each of the 20 conversations is, as a document. */
let documents: Map<string, string>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'offshoot-salvage-'))
  whole = join(folder, 'whole.db')
  const store = await openSqliteStore({ file: whole })
  for (let i = 0; i < 20; i++)
    await store.tx((tx) => grown(new Conversation(tx, countedIds(i * 1e9))), durable)
  documents = new Map(store.find('conversations', {}).map(({ id }) => [id, documentOf(store, id)]))
  await store.close()
})
afterAll(() => rmSync(folder, { recursive: true }))

beforeEach(() => {
  file = join(mkdtempSync(join(folder, 'one-')), 'offshoot.db')
  copyFileSync(whole, file)
})
afterEach(() => rmSync(join(file, '..'), { recursive: true }))

const durable = { durable: true }

function grown(conversation: Conversation): void {
  for (let on = 0; on < 12; on++) {
    const texts = [`text ${on}`, 'long '.repeat(on === 5 ? 4_000 : 20)]
    conversation.grow({ grow: 'message', on, role: on % 2 ? 'assistant' : 'user', texts })
    if (on % 3 === 0) conversation.grow({ grow: 'branch', on, from: on, kind: 'subagent', other: on })
    conversation.grow({ grow: 'run', on, state: state.completed, costUsd: 0.5 })
    conversation.grow({ grow: 'call', on, input: { path: 'a.ts' }, asks: on % 2 === 0, text: 'result' })
    conversation.grow({ grow: 'rule', on, text: 'x' })
    conversation.grow({ grow: 'todos', on, text: 'x' })
  }
  conversation.grow({ grow: 'artifact', content: new Uint8Array(20_000).map((_, i) => i * i * 7) })
}

function documentOf(store: Reader, id: ConversationId): string {
  return documentText(exportConversation(store, id))
}

function repair(): Promise<Repair | undefined> {
  return repairStore(file, { now: () => 5_000, makesSense: documentOf, warn: expect.unreachable })
}

function damage(change: (bytes: Buffer) => Buffer | void): void {
  const bytes = readFileSync(file)
  writeFileSync(file, change(bytes) ?? bytes)
}

async function opened<T>(look: (store: Store) => T): Promise<T> {
  const store = await openSqliteStore({ file })
  try {
    return look(store)
  } finally {
    await store.close()
  }
}

/** Everything in order, and nothing in it that was not there before. */
async function expectSound(): Promise<Map<string, string>> {
  const db = new DatabaseSync(file, { readOnly: true })
  expect(db.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  expect(db.prepare('PRAGMA foreign_key_check').all()).toEqual([])
  db.close()
  return opened(
    (store) => new Map(store.find('conversations', {}).map(({ id }) => [id, documentOf(store, id)])),
  )
}

test('what is sound is left alone', async () => {
  const before = readFileSync(file)
  expect(await repair()).toBeUndefined()
  expect(readFileSync(file).equals(before)).toBe(true)
})

describe('nothing is lost', () => {
  test.each<[string, (bytes: Buffer) => Buffer | void]>([
    ['with its header', (bytes) => void bytes.fill(0x55, 0, 100)],
    ['with its whole first page', (bytes) => void bytes.fill(0x55, 0, PAGE)],
    ['with a wrong count of free pages', (bytes) => void bytes.writeUInt32BE(77, 36)],
  ])('%s', async (_, change) => {
    damage(change)
    const repaired = await repair()
    expect(repaired).toMatchObject({ dropped: 0, made: 0, unreadableRecords: 0, senseless: [] })
    expect(await expectSound()).toEqual(documents)
    expect(await opened((store) => [store.count('events', {}), store.count('rules', {})])).toEqual(
      rowsOf(whole),
    )
  })

  test('where all inner pages are overwritten, because each page is read by itself', async () => {
    let inner = 0
    damage((bytes) => {
      for (let at = PAGE; at < bytes.length; at += PAGE)
        if (bytes[at] === 5 && ++inner) bytes.fill(0, at, at + PAGE)
    })
    expect(inner).toBeGreaterThan(0)
    expect(await repair()).toMatchObject({ unreadablePages: inner, dropped: 0, made: 0 })
    expect(await expectSound()).toEqual(documents)
  })

  test('of what stands in the log alone', async () => {
    const db = new DatabaseSync(file)
    db.exec("PRAGMA wal_autocheckpoint = 0; UPDATE conversations SET title = 'only in the log'")
    const log = readFileSync(`${file}-wal`)
    db.close()
    copyFileSync(whole, file)
    writeFileSync(`${file}-wal`, log)
    damage((bytes) => void bytes.fill(0, 0, 100))
    expect(await repair()).toMatchObject({ isLogTorn: false, dropped: 0 })
    expect(existsSync(`${file}-wal`)).toBe(false)
    const titles = await opened((store) => store.find('conversations', {}).map(({ title }) => title))
    expect(titles).toEqual(Array(20).fill('only in the log'))
  })
})

test('what was deleted does not come back', async () => {
  const [gone] = documents.keys()
  const store = await openSqliteStore({ file })
  await store.tx((tx) => tx.delete('conversations', gone!), durable)
  await store.close()
  damage((bytes) => void bytes.fill(0x55, bytes.length - PAGE))
  await repair()
  expect((await expectSound()).has(gone!)).toBe(false)
})

test('the damaged file is kept as it was, with its log, and the new one is for its owner only', async () => {
  damage((bytes) => void bytes.fill(0, 5 * PAGE, 9 * PAGE))
  writeFileSync(`${file}-wal`, 'torn')
  const before = readFileSync(file)
  const { aside, isLogTorn } = (await repair())!
  expect(readFileSync(aside).equals(before)).toBe(true)
  expect(readFileSync(`${aside}-wal`, 'utf8')).toBe('torn')
  expect(isLogTorn).toBe(true)
  await expectSound()
})

test('a lost row of a conversation or a branch is made anew, and nothing can be changed until a mode is named', async () => {
  const db = new DatabaseSync(file)
  db.exec(
    'PRAGMA foreign_keys = OFF; DELETE FROM conversations; DELETE FROM branches; PRAGMA user_version = 0',
  )
  db.close()
  const repaired = await repair()
  expect(repaired?.made).toBeGreaterThan(20)
  expect((await expectSound()).size).toBe(20)
})

test('a missing table costs what was in it', async () => {
  const db = new DatabaseSync(file)
  db.exec('PRAGMA foreign_keys = OFF; DROP TABLE approvals')
  db.close()
  expect((await repair())?.rows).toMatchObject({ conversations: 20, approvals: 0 })
  expect((await expectSound()).size).toBe(20)
})

/** A part of the store by its text, for each of its parts. */
function textsOf(path: string): Map<string, string> {
  const db = new DatabaseSync(path, { readOnly: true })
  const rows = db.prepare('SELECT id, part FROM parts').all() as unknown as { id: string; part: string }[]
  db.close()
  return new Map(rows.map(({ id, part }) => [id, part]))
}

/** Parts that say something else than was stored, without a notice that says so. */
function takenAsGenuine(): string[] {
  const before = textsOf(whole)
  const now = textsOf(file)
  const notices = [...now.values()].map((part) => JSON.parse(part) as { damaged?: string })
  const marked = new Set(notices.map(({ damaged }) => damaged))
  const isNotice = (part: string) => 'damaged' in (JSON.parse(part) as object)
  return [...now].flatMap(([id, part]) =>
    before.get(id) === part || isNotice(part) || marked.has(id) ? [] : [part],
  )
}

describe('altered text', () => {
  const change = (from: string, to: string) =>
    damage((bytes) => {
      const at = bytes.lastIndexOf(from)
      expect(at).toBeGreaterThan(0)
      bytes.write(to, at, 'latin1')
    })

  test('of a message is kept, and said to be damaged beside it, in the export and to the model alone', async () => {
    change('"text 4"', '"take 4"')
    const repaired = await repair()
    expect(repaired).toMatchObject({ altered: 1, unreadableRecords: 0, dropped: 0 })
    expect(repaired?.damage).toContain('is not the one that was stored')
    await expectSound()
    expect(takenAsGenuine()).toEqual([])
    await opened((store) => {
      const row = store.find('parts', {}).find(({ part }) => part.type === 'text' && part.text === 'take 4')!
      const message = readMessages(store, store.get('messages', row.messageId)!.branchId).find(
        ({ id }) => id === row.messageId,
      )!
      const at = message.parts.findIndex(({ id }) => id === row.id)
      expect(message.parts[at + 1]).toMatchObject({ type: 'notice', damaged: row.id })
      expect(transcriptLines([message], { agent: 'main', factsOf: () => undefined }).join('\n')).toContain(
        '∙ Damaged: what stands before this line',
      )
      expect(documentOf(store, row.conversationId)).toContain('Damaged: what stands before')
      const branches = new Map(store.find('branches', {}).map((branch) => [branch.id, branch]))
      const context = buildContext({ branches, messages: (id) => readMessages(store, id) }, message.branchId)
      const [told] = context.filter(({ parts }) => JSON.stringify(parts).includes('damaged disk'))
      expect(told?.role).toBe('system')
      const others = context.filter((each) => each !== told)
      expect(JSON.stringify(others)).not.toMatch(/damaged/i)
    })
  })

  test('of a result of a tool is said too', async () => {
    change('"text":"result"', '"text":"resuld"')
    expect(await repair()).toMatchObject({ altered: 1 })
    expect(takenAsGenuine()).toEqual([])
  })

  test('of an artifact that is not what its hash names is left out', async () => {
    const db = new DatabaseSync(file)
    db.exec("UPDATE artifacts SET hash = 'another' WHERE id = (SELECT min(id) FROM artifacts)")
    db.close()
    damage((bytes) => void bytes.fill(0x55, 0, 100))
    expect(await repair()).toMatchObject({ unreadableRecords: 1, rows: { artifacts: 19 } })
  })
})

/** Pages are zeroed, overwritten, cut off, or half written. */
const blow = fc.record({
  page: fc.nat(1_000),
  how: fc.constantFrom('zeros', 'noise', 'half', 'swapped', 'cut', 'bits', 'letters'),
  noise: fc.uint8Array({ minLength: 16, maxLength: 64 }),
})

test(
  'whatever pages are damaged: it never fails, and what it brings back can be shown and is sound',
  { timeout: 120_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(blow, { minLength: 1, maxLength: 12 }), async (blows) => {
        copyFileSync(whole, file)
        damage((bytes) => blows.reduce(struck, bytes))
        const repaired = await repair().catch((error: unknown) => error)
        if (repaired instanceof Error) {
          expect(repaired).toMatchObject({ code: 'store_foreign' })
          return
        }
        const found = [...(await expectSound()).keys()]
        // a wrong bit in an id makes another id, for which there is no checksum
        if (blows.every(({ how }) => how !== 'bits'))
          expect(found.filter((id) => !documents.has(id))).toEqual([])
        if (repaired) expect(takenAsGenuine()).toEqual([])
        if (repaired) rmSync((repaired as Repair).aside)
      }),
      { numRuns: 30, endOnFailure: true },
    )
  },
)

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

function rowsOf(path: string): number[] {
  const db = new DatabaseSync(path, { readOnly: true })
  const count = (table: string) =>
    db.prepare(`SELECT count(*) AS rows FROM ${table}`).get()!['rows'] as number
  const counts = [count('events'), count('rules')]
  db.close()
  return counts
}
