import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { zstdDecompressSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { exportConversation } from '../../src/export/export-conversation.ts'
import { countedIds } from '../../src/export/fixtures/conversations.ts'
import { importConversation } from '../../src/export/import-conversation.ts'
import { turnsText } from '../../src/core/turn-figures.ts'
import { createMemoryStore } from '../../src/store/memory.ts'
import type { Store } from '../../src/store/port.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'

let directory = ''
let file = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'offshoot-turns-'))
  file = join(directory, 'offshoot.db')
  const store = join(import.meta.dirname, 'stores/11.db.zst')
  writeFileSync(file, zstdDecompressSync(readFileSync(store)))
})
afterEach(() => rmSync(directory, { recursive: true }))

function change(...statements: readonly string[]): void {
  const db = new DatabaseSync(file)
  for (const statement of statements) db.exec(statement)
  db.close()
}

/** Of each branch with several runs: the agent, and turns and limit of each run. */
function figures(store: Store): string[] {
  return store
    .find('branches', { orderBy: 'id' })
    .map(({ id, agent }) => ({ agent, runs: runsOf(store, id) }))
    .filter(({ runs }) => runs.length > 1)
    .map(
      ({ agent, runs }) => `${agent} ${runs.map((run) => `${run.turns}/${run.limits.maxTurns}`).join(' ')}`,
    )
}

function runsOf(store: Store, branchId: string) {
  return store.find('runs', { where: { branchId: branchId as never }, orderBy: 'id' })
}

async function migrated(): Promise<{ readonly figures: readonly string[]; readonly store: Store }> {
  const store = await openSqliteStore({ file, now: () => 7 })
  return { figures: figures(store), store }
}

const OWN = ['main 2/50 2/50 1/50', 'main 2/50 1/50', 'explore 2/15 1/15']

test('a branch that was continued twice has 2, 2 and 1 turns: it shows 5, and is exported as 5', async () => {
  const { figures, store } = await migrated()
  expect(figures).toEqual(OWN)
  const branch = store.find('branches', { orderBy: 'id' }).find(({ id }) => runsOf(store, id).length === 3)!
  expect(turnsText(runsOf(store, branch.id))).toBe('3 runs: 5 turns')
  const document = exportConversation(store, branch.conversationId)
  expect(document.main!.metadata).toMatchObject({ iterations: 5, maxIterations: 54 })
  const other = createMemoryStore()
  await importConversation(other, document, countedIds(0))
  expect(exportConversation(other, branch.conversationId)).toEqual(document)
  await store.close()
})

test('where no events were kept, as of an import, the messages say the same', async () => {
  change('DELETE FROM events')
  const { figures, store } = await migrated()
  expect(figures).toEqual(OWN)
  await store.close()
})

const LAST = "id = (SELECT max(id) FROM runs WHERE agent = 'explore' AND turns = 3)"
const SAID = `run_id = (SELECT id FROM runs WHERE ${LAST})`

test.each([
  [
    'a limit that was given to the continue',
    [`UPDATE runs SET limits = '{"maxTurns":9}' WHERE ${LAST}`],
    '1/7',
  ],
  [
    'an empty answer, which leaves no whole message',
    [`UPDATE messages SET state = 'interrupted' WHERE ${SAID}`],
    '1/15',
  ],
  [
    'turns of its own, with the limit of the run before it',
    [
      `UPDATE messages SET state = 'interrupted' WHERE ${SAID}`,
      `UPDATE runs SET limits = '{"maxTurns":15}' WHERE ${LAST}`,
    ],
    '3/15',
  ],
  ['fewer turns than the run before it', [`UPDATE runs SET turns = 1 WHERE ${LAST}`], '1/17'],
  ['limits that nobody can read', [`UPDATE runs SET limits = '{"maxTurns":"17"}' WHERE ${LAST}`], '3/17'],
])('without events, a run with %s', async (_, statements, expected) => {
  change('DELETE FROM events', ...statements)
  const { figures, store } = await migrated()
  expect(figures.at(-1)).toBe(`explore 2/15 ${expected}`)
  await store.close()
})

test('a broken event or part is passed over', async () => {
  change(`UPDATE events SET events = '["from":null'`, "UPDATE parts SET part = '{'")
  await (await openSqliteStore({ file, now: () => 7 })).close()
  const after = new DatabaseSync(file, { readOnly: true })
  const turns = after.prepare("SELECT turns FROM runs WHERE agent = 'main' ORDER BY id").all()
  after.close()
  expect(turns.map((row) => row['turns'])).toEqual([2, 2, 2, 1, 2, 1, 0])
})

test('events say where a run began, whatever its messages and its limit look like', async () => {
  change(
    `UPDATE runs SET limits = '{"maxTurns":9}' WHERE ${LAST}`,
    `UPDATE messages SET state = 'interrupted' WHERE ${SAID}`,
  )
  const { figures, store } = await migrated()
  expect(figures.at(-1)).toBe('explore 2/15 1/7')
  await store.close()
})
