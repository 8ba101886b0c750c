import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { state } from '../src/core/run-status.ts'
import { documentText } from '../src/export/document-text.ts'
import { exportConversation } from '../src/export/export-conversation.ts'
import { Conversation, countedIds } from '../src/export/fixtures/conversations.ts'
import { createMemoryStore } from '../src/store/memory.ts'
import type { Store, Table } from '../src/store/port.ts'
import { tables } from '../src/store/tables.ts'
import { TestUser } from './support/test-user.ts'

let user: TestUser
let whole: string
beforeAll(async () => {
  user = new TestUser()
  whole = await exported()
})
afterAll(() => user.remove())

/** A conversation with everything that names something else. */
async function exported(): Promise<string> {
  const store = createMemoryStore()
  const id = await store.tx(
    (tx) => {
      const it = new Conversation(tx, countedIds(1_000))
      const [main] = it.branches
      it.message(main!, 'user', [it.text('go')])
      it.artifact(new TextEncoder().encode('whole'))
      for (const [on, end] of [state.completed, state.failed, state.paused('max_turns')].entries()) {
        it.run(it.branches.at(-1)!, end, { depth: on })
        it.grow({ grow: 'call', on, input: { path: 'a' }, asks: true, text: 'result' })
        it.grow({ grow: 'branch', on: 0, from: on, kind: on === 1 ? 'fork' : 'subagent', other: 1 })
        for (const grow of ['item', 'rule', 'todos'] as const) it.grow({ grow, on, text: 'x' })
        it.report(main!, 'a report that was read')
      }
      it.message(main!, 'assistant', [it.text('half')], { state: 'interrupted' })
      return it.conversationId
    },
    { durable: true },
  )
  return documentText(exportConversation(store, id))
}

type Path = readonly (string | number)[]

/** Every place in a document below its top. */
function placesIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value)
  const inner = keys.flatMap((key) =>
    placesIn((value as Record<string | number, unknown>)[key], [...path, key]),
  )
  return path.length === 0 ? inner : [path, ...inner]
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce((found, key) => (found as Record<string | number, unknown>)[key], value)
}

const ABSENT = ['cnv', 'brn', 'msg', 'prt', 'run', 'cal', 'art'].map(
  (prefix) => `${prefix}_${'Z'.repeat(26)}`,
)

const mutation = fc.record({
  place: fc.nat(),
  /** Another value of the document, another value, nothing, or the same twice. */
  how: fc.constantFrom('other', 'value', 'value', 'none', 'twice'),
  other: fc.nat(),
  value: fc.oneof(
    fc.constantFrom<unknown>(null, '', ' ', 'x', '\u0000', '\u009b31m', true, [], {}, '__proto__', ...ABSENT),
    fc.constantFrom<unknown>(-1, 0, 1.5, 1e15, 8.64e15 + 1, 2 ** 53, 1e300, 1e22),
    fc.jsonValue(),
  ),
})

type Mutation = typeof mutation extends fc.Arbitrary<infer M> ? M : never

function mutated({ place, how, other, value }: Mutation): string {
  const document = JSON.parse(whole) as unknown
  const places = placesIn(document)
  const path = places[place % places.length]!
  const key = path.at(-1)!
  const holder = valueAt(document, path.slice(0, -1)) as Record<string | number, unknown>
  if (how === 'value') holder[key] = value
  if (how === 'other') holder[key] = valueAt(JSON.parse(whole), places[other % places.length]!)
  if (how === 'none') delete holder[key]
  if (how === 'twice' && Array.isArray(holder)) holder.push(holder[Number(key)])
  if (how === 'none' && Array.isArray(holder)) holder.splice(Number(key), 1)
  return JSON.stringify(document)
}

/** A store that several commands open one after the other. */
function kept(store: Store): Store {
  return Object.create(store, { close: { value: async () => {} } }) as Store
}

function caller(store: Store) {
  const openFile = () => Promise.resolve(kept(store))
  return async (args: readonly string[], input = '') => await user.call(args, { input, openFile })
}

function rowsIn(store: Store): number {
  return (Object.keys(tables) as Table[]).reduce((sum, table) => sum + store.count(table, {}), 0)
}

test(
  'an altered export is taken in whole and can be used, or is refused with one error and leaves nothing',
  { timeout: 120_000 },
  async () => {
    const came = { taken: 0, refused: 0 }
    const check = fc.asyncProperty(mutation, async (change) => {
      const store = createMemoryStore()
      const call = caller(store)
      const imported = await call(['import', '-'], mutated(change))
      if (imported.code !== 0) {
        came.refused++
        expect(imported.code).toBe(2)
        expect(imported.stderr).toMatch(/^offshoot: .+\n(?:offshoot: .+\n|  .+\n)?$/)
        expect(rowsIn(store)).toBe(0)
        return
      }
      came.taken++
      const id = imported.stdout.trim()
      const branches = store.find('branches', {}).map((branch) => branch.id)
      const reads = [
        ['ls'],
        ['ls', '--json'],
        ['ps', '--all'],
        ['show', id, '--messages'],
        ['show', id, '--json'],
        ...branches.map((branch) => ['log', branch]),
        ['export', id, '--format', 'md'],
        ['export', id, '--format', 'html'],
      ]
      for (const args of reads) expect(await call(args), args.join(' ')).toMatchObject({ code: 0 })
      const once = await call(['export', id])
      const again = createMemoryStore()
      expect(await caller(again)(['import', '-'], once.stdout)).toMatchObject({ code: 0 })
      expect((await caller(again)(['export', id])).stdout).toBe(once.stdout)
    })
    await fc.assert(check, { numRuns: 40 })
    expect(came.taken).toBeGreaterThan(2)
    expect(came.refused).toBeGreaterThan(8)
  },
)
