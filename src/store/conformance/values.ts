import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import type { Json } from '../../core/json.ts'
import type { ArtifactRow, MessageRow, Rows } from '../port.ts'
import { durable, seeded, tableNames, rejects, type StoreCase } from './case.ts'
import { seedEverything, type Sample } from './rows.ts'

/** Values come back as they were stored. */
export const values: readonly StoreCase[] = [
  seeded('every table returns what was inserted', async (store, sample) => {
    await store.tx((tx) => tx.delete('conversations', sample.conversation.id), durable)
    const inserted = await store.tx((tx) => seedEverything(tx, sample), durable)
    for (const table of tableNames()) {
      assert.ok(inserted.get(table)!.length > 0, table)
      assert.deepEqual(store.find(table, {}), inserted.get(table), table)
    }
  }),

  seeded('a value of the wrong kind is refused', async (store, sample) => {
    const wrong = [
      { turns: 1.5 },
      { turns: '1' },
      { costUsd: NaN },
      { agent: null },
      { agent: 1 },
      { background: 1 },
      { usage: () => 1 },
    ]
    for (const change of wrong) {
      await rejects(
        store.tx((tx) => tx.update('runs', sample.run.id, change as Partial<Rows['runs']>), durable),
        'internal',
      )
    }
    const { agent: _, ...incomplete } = sample.run
    await rejects(
      store.tx((tx) => tx.insert('runs', { ...incomplete, id: sample.id('run') } as Rows['runs']), durable),
      'internal',
    )
    assert.deepEqual(store.find('runs', {}), [sample.run])
  }),

  seeded('nested values return as JSON represents them', async (store, sample) => {
    await store.tx((tx) => {
      for (const [i, args] of hardJson().entries()) tx.insert('commands', command(sample, i, args))
    }, durable)
    for (const [i, args] of hardJson().entries()) {
      const found = store.get('commands', `cmd_${i}`)?.args
      assert.ok(
        isDeepStrictEqual(found, JSON.parse(JSON.stringify(args))),
        `the value ${i} comes back changed`,
      )
    }
  }),

  seeded('text keeps every character; invalid Unicode becomes U+FFFD', async (store, sample) => {
    const texts = ['', '\0', 'a\0b', 'é\u0301 😀 \u{10ffff}', "'; DROP TABLE runs; --", 'x'.repeat(2_000_000)]
    for (const title of texts) {
      await store.tx((tx) => tx.update('conversations', sample.conversation.id, { title }), durable)
      sameText(store.get('conversations', sample.conversation.id)?.title, title)
      assert.equal(store.count('conversations', { title }), 1)
    }
    await store.tx((tx) => tx.update('conversations', sample.conversation.id, { title: 'a\ud800b' }), durable)
    assert.equal(store.get('conversations', sample.conversation.id)?.title, 'a\ufffdb')
  }),

  seeded('bytes of any size and kind come back', async (store, sample) => {
    const noise = Uint8Array.from({ length: 300_000 }, (_, i) => (i * i * 31 + (i >> 3)) & 255)
    const contents = [new Uint8Array(), new Uint8Array([0, 255, 0]), noise, new Uint8Array(1_000_000)]
    const rows = contents.map((content, i) => sample.artifact(`hash ${i}`, content))
    await store.tx((tx) => rows.forEach((row) => tx.insert('artifacts', row)), durable)
    const found = store.find('artifacts', {})
    assert.deepEqual(found.map(withoutContent), rows.map(withoutContent))
    for (const [i, { content }] of found.entries()) sameBytes(content, contents[i]!)
  }),

  seeded('changing an inserted value does not change what is stored', async (store, sample) => {
    const content = new Uint8Array([1, 2, 3])
    const args = { list: [1] }
    const artifact = sample.artifact('mine', content)
    await store.tx((tx) => {
      tx.insert('artifacts', artifact)
      tx.insert('commands', command(sample, 1, args))
    }, durable)
    content[0] = 9
    args.list.push(2)
    store.get('artifacts', artifact.id)!.content[1] = 9
    assert.deepEqual(store.get('artifacts', artifact.id)?.content, new Uint8Array([1, 2, 3]))
    assert.deepEqual(store.get('commands', 'cmd_1')?.args, { list: [1] })
  }),

  seeded('columns that a table lacks are not stored', async (store, sample) => {
    const message = sample.message(0)
    await store.tx((tx) => tx.insert('messages', { ...message, parts: [] } as MessageRow), durable)
    assert.deepEqual(store.get('messages', message.id), message)
  }),
]

function withoutContent({ content: _, ...row }: ArtifactRow): Omit<ArtifactRow, 'content'> {
  return row
}

/** Hides the differences: a list of a million would exhaust memory. */
function sameBytes(found: Uint8Array, expected: Uint8Array): void {
  assert.ok(found instanceof Uint8Array, 'content is bytes')
  assert.equal(found.length, expected.length, 'as many bytes as were inserted')
  assert.ok(Buffer.from(expected.buffer).equals(found), `the same ${expected.length} bytes`)
}

function sameText(found: string | undefined, expected: string): void {
  assert.equal(found?.length, expected.length, 'as many characters as were inserted')
  assert.ok(found === expected, `the same ${expected.length} characters`)
}

function command(sample: Sample, i: number, args: unknown): Rows['commands'] {
  const base = {
    conversationId: sample.conversation.id,
    verb: 'v',
    target: 't',
    createdAt: 1,
    answer: null,
    answeredAt: null,
  }
  return { ...base, id: `cmd_${i}`, args }
}

function hardJson(): Json[] {
  const deep = JSON.parse('['.repeat(500) + ']'.repeat(500)) as Json
  return [
    null,
    false,
    0,
    -0,
    1e308,
    '',
    '\ud800 \udc00 \0 \u2028 😀',
    [],
    [null, [[]]],
    {},
    { '': {}, constructor: 1, absent: undefined },
    JSON.parse('{"__proto__": {"polluted": true}}') as Json,
    deep,
    { text: 'y'.repeat(3_000_000) },
  ]
}
