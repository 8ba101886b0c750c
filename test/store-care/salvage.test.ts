import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { buildContext } from '../../src/core/build-context.ts'
import { transcriptLines } from '../../src/cli/terminal/transcript-lines.ts'
import { readMessages } from '../../src/runtime/run/messages.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { CONVERSATIONS, DamagedStore, documentOf, expectRepairs, expectSound, PAGE } from './damaged-store.ts'

let damaged: DamagedStore
let file: string
let documents: DamagedStore['documents']

beforeAll(async () => {
  damaged = await DamagedStore.create()
  ;({ file, documents } = damaged)
})
afterAll(() => damaged[Symbol.dispose]())
beforeEach(() => damaged.renew())

const repair = () => damaged.repair()
const damage: DamagedStore['damage'] = (change) => damaged.damage(change)
const opened: DamagedStore['opened'] = (look) => damaged.opened(look)
const takenAsGenuine = () => damaged.takenAsGenuine()
const durable = { durable: true }

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
    expect(await expectSound(damaged)).toEqual(documents)
    expect(await opened((store) => [store.count('events', {}), store.count('rules', {})])).toEqual(
      rowsOf(damaged.whole),
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
    expect(await expectSound(damaged)).toEqual(documents)
  })

  test('of what stands in the log alone', async () => {
    const db = new DatabaseSync(file)
    db.exec("PRAGMA wal_autocheckpoint = 0; UPDATE conversations SET title = 'only in the log'")
    const log = readFileSync(`${file}-wal`)
    db.close()
    copyFileSync(damaged.whole, file)
    writeFileSync(`${file}-wal`, log)
    damage((bytes) => void bytes.fill(0, 0, 100))
    expect(await repair()).toMatchObject({ isLogTorn: false, dropped: 0 })
    expect(existsSync(`${file}-wal`)).toBe(false)
    const titles = await opened((store) => store.find('conversations', {}).map(({ title }) => title))
    expect(titles).toEqual(Array(CONVERSATIONS).fill('only in the log'))
  })
})

test('what was deleted does not come back', async () => {
  const [gone] = documents.keys()
  const store = await openSqliteStore({ file })
  await store.tx((tx) => tx.delete('conversations', gone!), durable)
  await store.close()
  damage((bytes) => void bytes.fill(0x55, bytes.length - PAGE))
  await repair()
  expect((await expectSound(damaged)).has(gone!)).toBe(false)
})

test('the damaged file is kept as it was, with its log, and the new one is for its owner only', async () => {
  damage((bytes) => void bytes.fill(0, 5 * PAGE, 9 * PAGE))
  writeFileSync(`${file}-wal`, 'torn')
  const before = readFileSync(file)
  const { aside, isLogTorn } = (await repair())!
  expect(readFileSync(aside).equals(before)).toBe(true)
  expect(readFileSync(`${aside}-wal`, 'utf8')).toBe('torn')
  expect(isLogTorn).toBe(true)
  await expectSound(damaged)
})

test('a lost row of a conversation or a branch is made anew, and nothing can be changed until a mode is named', async () => {
  const db = new DatabaseSync(file)
  db.exec(
    'PRAGMA foreign_keys = OFF; DELETE FROM conversations; DELETE FROM branches; PRAGMA user_version = 0',
  )
  db.close()
  const repaired = await repair()
  expect(repaired?.made).toBeGreaterThan(20)
  expect((await expectSound(damaged)).size).toBe(CONVERSATIONS)
})

test('a missing table costs what was in it', async () => {
  const db = new DatabaseSync(file)
  db.exec('PRAGMA foreign_keys = OFF; DROP TABLE approvals')
  db.close()
  expect((await repair())?.rows).toMatchObject({ conversations: CONVERSATIONS, approvals: 0 })
  expect((await expectSound(damaged)).size).toBe(CONVERSATIONS)
})

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
    expect(repaired?.damage).toContain('is not the text that was stored')
    await expectSound(damaged)
    expect(takenAsGenuine()).toEqual([])
    await opened((store) => {
      const row = store.find('parts', {}).find(({ part }) => part.type === 'text' && part.text === 'take 4')!
      const message = readMessages(store, store.get('messages', row.messageId)!.branchId).find(
        ({ id }) => id === row.messageId,
      )!
      const at = message.parts.findIndex(({ id }) => id === row.id)
      expect(message.parts[at + 1]).toMatchObject({ type: 'notice', damaged: row.id })
      expect(transcriptLines([message], { agent: 'main', factsOf: () => undefined }).join('\n')).toContain(
        '∙ Damaged: the text before this line',
      )
      expect(documentOf(store, row.conversationId)).toContain('Damaged: the text before')
      const branches = new Map(store.find('branches', {}).map((branch) => [branch.id, branch]))
      const context = buildContext({ branches, messages: (id) => readMessages(store, id) }, message.branchId)
      const [told] = context.filter(({ parts }) => JSON.stringify(parts).includes('damaged disk'))
      expect(told?.role).toBe('system')
      const others = context.filter((each) => each !== told)
      expect(JSON.stringify(others)).not.toMatch(/damaged/i)
    })
  })

  test('that cannot be parsed any more becomes a notice with what was read', async () => {
    change('"text 4"', '"text 4!')
    expect(await repair()).toMatchObject({ altered: 1, unreadableRecords: 0, dropped: 0 })
    await expectSound(damaged)
    const parts = await opened((store) => store.find('parts', {}).map(({ part }) => part))
    expect(parts).toContainEqual(
      expect.objectContaining({ type: 'notice', text: expect.stringMatching(/cannot be read\. .*"text 4!/) }),
    )
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
    expect(await repair()).toMatchObject({ unreadableRecords: 1, rows: { artifacts: CONVERSATIONS - 1 } })
  })
})

test(
  'whatever pages are damaged: it never fails, and what it brings back can be shown, exported and imported',
  { timeout: 120_000 },
  async () => {
    await expectRepairs(damaged, 5)
  },
)

function rowsOf(path: string): number[] {
  const db = new DatabaseSync(path, { readOnly: true })
  const count = (table: string) =>
    db.prepare(`SELECT count(*) AS rows FROM ${table}`).get()!['rows'] as number
  const counts = [count('events'), count('rules')]
  db.close()
  return counts
}
