import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import type { ConversationId } from '../../core/ids.ts'
import { state } from '../../core/run-status.ts'
import { createMemoryStore } from '../../store/memory.ts'
import type { Rows, Store, Table, Tx } from '../../store/port.ts'
import { documentText } from '../document-text.ts'
import { exportConversation } from '../export-conversation.ts'
import { Conversation, countedIds } from '../fixtures/conversations.ts'
import { importConversation } from '../import-conversation.ts'
import { parseExport } from '../parse-export.ts'
import { mendConversation } from './mend-conversation.ts'

let store: Store
let id: ConversationId

beforeEach(async () => {
  store = createMemoryStore()
  id = await write((tx) => {
    const it = new Conversation(tx, countedIds(1_000))
    const main = it.branches[0]!
    it.message(main, 'user', [it.text('go')])
    it.run(main, state.completed)
    it.artifact(new TextEncoder().encode('whole'))
    for (let on = 0; on < 3; on++) {
      it.grow({ grow: 'branch', on: 0, from: 0, kind: 'subagent', other: 1 })
      it.run(it.branches.at(-1)!, state.completed)
      it.grow({ grow: 'call', on, input: { path: 'a' }, asks: true, text: 'result' })
      it.grow({ grow: 'item', on: 0, text: 'a report' })
      for (const grow of ['rule', 'todos'] as const) it.grow({ grow, on, text: 'x' })
      it.report(main, 'a report that was read')
    }
    return it.conversationId
  })
})

const write = <T>(change: (tx: Tx) => T) => store.tx(change, { durable: true })
const exported = () => documentText(exportConversation(store, id))
const mend = () => write((tx) => mendConversation(tx, id, { newId: countedIds(9_000), now: () => 5_000 }))

async function expectImport(): Promise<void> {
  const other = createMemoryStore()
  const once = await importConversation(other, parseExport(exported()), countedIds(7e12))
  const text = documentText(exportConversation(other, once))
  expect(documentText(parseExport(text))).toBe(text)
}

function notices(): string[] {
  return store.find('parts', {}).flatMap(({ part }) => (part.type === 'notice' ? [part.text] : []))
}

const first = <T extends Table>(table: T): Rows[T] => store.find(table, {})[0]!
const absent = (prefix: string) => `${prefix}_${'Z'.repeat(26)}` as never

test('what is in order is left as it is', async () => {
  const before = exported()
  expect(await mend()).toBe(0)
  expect(exported()).toBe(before)
})

describe('what names something lost', () => {
  test('as an unread report of a run leaves the inbox: a notice has its text', async () => {
    const item = store.find('inbox', {}).find(({ report }) => report)!
    const report = { ...item.report!, fromRunId: absent('run') }
    await write((tx) => tx.update('inbox', item.id, { report, fromRunId: null, text: 'what it found' }))
    expect(() => parseExport(exported())).toThrow('there is no run_Z')
    await mend()
    expect(store.get('inbox', item.id)).toBeUndefined()
    expect(notices()).toEqual(['Lost: the run of this report of general. The report said: what it found'])
    await expectImport()
  })

  test('as a report that was read becomes a notice with its text', async () => {
    const row = store.find('parts', {}).find(({ part }) => part.type === 'report')!
    const { part } = row
    if (part.type !== 'report') expect.unreachable()
    const lost = { ...part, report: { ...part.report, fromRunId: absent('run') } }
    await write((tx) => tx.update('parts', row.id, { part: lost }))
    await mend()
    expect(store.get('parts', row.id)?.part).toMatchObject({
      type: 'notice',
      text: expect.stringContaining(part.text),
    })
    await expectImport()
  })

  test.each([
    ['artifact', 'the artifact with its whole text'],
    ['subagent', 'the subagent that it names'],
    ['summary', 'the message that it sums up'],
  ])('as the %s of a part names it no more, and a notice says so', async (what, said) => {
    const rows = store.find('parts', {})
    const change = (found: Rows['parts'] | undefined, part: object) =>
      write((tx) => tx.update('parts', found!.id, { part: { ...found!.part, ...part } }))
    const result = rows.find(({ part }) => part.type === 'tool-result' && part.output.subagent)
    if (what === 'artifact') await change(result, { output: { text: 'head', artifactId: absent('art') } })
    if (what === 'subagent')
      await change(result, {
        output: {
          text: 'said',
          subagent: { type: 'started', branchId: absent('brn'), agent: 'a', description: '', position: null },
        },
      })
    if (what === 'summary')
      await change(
        rows.find(({ part }) => part.type === 'text'),
        { summaryOf: absent('msg') },
      )
    expect(await mend()).toBe(2)
    expect(notices()).toEqual([`Lost: ${said}, which the part above named.`])
    await expectImport()
  })

  test('as a call whose part is lost goes, and what it had started stays', async () => {
    const [call] = store.find('tool_calls', {})
    const runs = store.count('runs', {})
    await write((tx) => tx.update('tool_calls', call!.id, { partId: absent('prt') }))
    await mend()
    expect(store.get('tool_calls', call!.id)).toBeUndefined()
    expect(store.count('runs', {})).toBe(runs)
    await expectImport()
  })
})

describe('what no import takes', () => {
  test.each([
    ['a part of no kind', 'parts', { part: { id: 'x', type: 'texd', text: 'half of it' } }],
    ['a part without its text', 'parts', { part: { type: 'text' } }],
    ['a report without facts', 'parts', { part: { type: 'report', text: 'half of it' } }],
  ] as const)('as %s becomes a notice with what was read', async (_, table, change) => {
    const { id: row } = first(table)
    await write((tx) => tx.update('parts', row, change as never))
    await mend()
    expect(store.get('parts', row)?.part).toMatchObject({ id: row, type: 'notice', damaged: row })
    expect(notices()[0]).toContain('Damaged: this part cannot be read. What is left of it: ')
    await expectImport()
  })

  test('as words of an unknown role are nobody’s', async () => {
    const message = first('messages')
    await write((tx) => tx.update('messages', message.id, { role: 'usir' as never }))
    await mend()
    expect(notices()).toEqual(['Damaged: this part cannot be read. What is left of it: go'])
    await expectImport()
  })

  test.each([
    ['of no kind', 'mian'],
    ['lost', null],
  ])('as a main branch that is %s is made anew', async (_, kind) => {
    const [main] = store.find('branches', { where: { kind: 'main' } })
    await write((tx) => {
      if (kind === null) tx.delete('branches', main!.id)
      else tx.update('branches', main!.id, { kind: kind as never })
    })
    await mend()
    expect(store.count('branches', { kind: 'main' })).toBe(1)
    await expectImport()
  })

  test('as a second main branch is a subagent', async () => {
    const other = store.find('branches', {}).find(({ kind }) => kind === 'subagent')!
    await write((tx) => tx.update('branches', other.id, { kind: 'main' }))
    await mend()
    expect(store.get('branches', other.id)?.kind).toBe('subagent')
    await expectImport()
  })

  test('as an altered restriction denies', async () => {
    const rule = store.find('rules', {}).find(({ kind }) => kind === 'restriction')!
    await write((tx) => tx.update('rules', rule.id, { action: 'dony' as never }))
    await mend()
    expect(store.get('rules', rule.id)?.action).toBe('deny')
    await expectImport()
  })

  test('in several fields of a row removes it once', async () => {
    const run = first('runs')
    await write((tx) => tx.update('runs', run.id, { limits: {} as never, queuedAt: -1 }))
    await mend()
    expect(store.get('runs', run.id)).toBeUndefined()
    await expectImport()
  })

  test('as a state that no run has pauses it', async () => {
    const run = first('runs')
    await write((tx) => tx.update('runs', run.id, { status: 'complexed' as never, reason: 'user' }))
    await mend()
    expect(store.get('runs', run.id)).toMatchObject({ status: 'paused', reason: 'restart' })
    await expectImport()
  })
})

/** Of any table: a row loses a field, or gets another value in it that its column takes. */
const blow = fc.record({
  table: fc.constantFrom(
    ...([
      'messages',
      'parts',
      'runs',
      'tool_calls',
      'approvals',
      'questions',
      'inbox',
      'rules',
      'todos',
    ] as const),
    ...(['branches', 'artifacts', 'conversations'] as const),
  ),
  row: fc.nat(),
  field: fc.nat(),
  value: fc.oneof(
    fc.constantFrom(null, '', 'x', -1, 1e15, 2.5, true, absent('run'), absent('msg'), absent('brn')),
    fc.jsonValue(),
  ),
})

test('whatever was altered in the rows: the export can be imported', async () => {
  let mended = 0
  const check = fc.asyncProperty(fc.array(blow, { minLength: 1, maxLength: 8 }), async (blows) => {
    const whole = exported()
    const copy = createMemoryStore()
    const conversation = await importConversation(copy, parseExport(whole), countedIds(7e12))
    const [before, known] = [store, id]
    ;[store, id] = [copy, conversation]
    try {
      for (const each of blows) await strike(each)
      if ((await mend()) > 0) mended++
      await expectImport()
    } finally {
      ;[store, id] = [before, known]
    }
  })
  await fc.assert(check, { numRuns: 60 })
  expect(mended).toBeGreaterThan(10)
})

/** What a column does not take stays as it is. */
async function strike({ table, row, field, value }: Blow): Promise<void> {
  const rows = store.find(table, {})
  const at = rows[row % Math.max(1, rows.length)] as unknown as Record<string, unknown> | undefined
  if (!at) return
  const key = String(at[table === 'todos' ? 'branchId' : 'id'])
  const names = Object.keys(at).filter(
    (name) => !['id', 'branchId', 'conversationId', 'messageId', 'runId', 'callId'].includes(name),
  )
  const name = names[field % names.length]!
  const inside = altered(at[name], field, value)
  await write((tx) => tx.update(table, key, { [name]: inside } as never)).catch((error: unknown) =>
    expect(error).toMatchObject({ code: expect.stringMatching(/internal|conflict/) }),
  )
}

interface Blow {
  readonly table: Exclude<Table, 'events' | 'leases' | 'commands' | 'idempotency'>
  readonly row: number
  readonly field: number
  readonly value: unknown
}

/** Of a value of JSON a part of it. */
function altered(value: unknown, at: number, to: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return to
  const keys = Object.keys(value)
  if (keys.length === 0) return to
  const key = keys[at % keys.length]!
  const inner = (value as Record<string, unknown>)[key]
  const next = at % 2 === 0 && typeof inner === 'object' ? altered(inner, at >> 1, to) : to
  return Array.isArray(value) ? value.with(Number(key), next) : { ...value, [key]: next }
}
