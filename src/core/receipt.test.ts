import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyCharacter } from '../../test/support/any-character.ts'
import { receiptLines } from './receipt-lines.ts'
import { changedFiles, isEmpty, noReceipts, receiptsOf, type Fact, type ReceiptCall } from './receipt.ts'

const changed = (path: string, before: string | null, after: string | null, lines = 1): Fact => ({
  type: 'changed',
  path,
  before,
  after,
  added: lines,
  removed: 0,
})
const call = (more: Partial<ReceiptCall>): ReceiptCall => ({
  tool: 'bash',
  title: '$ npm test',
  status: 'completed',
  error: null,
  ...more,
})

describe('receipts', () => {
  test('hold each file once, from before the first change to after the last', () => {
    const facts = [changed('a.ts', null, '1', 10), changed('b.ts', '5', '6'), changed('a.ts', '1', '2', 3)]
    expect(receiptsOf([call({ facts })]).changed).toEqual([
      { path: 'a.ts', before: null, after: '2', added: 13, removed: 0 },
      { path: 'b.ts', before: '5', after: '6', added: 1, removed: 0 },
    ])
  })

  test('hold commands, hosts, what was refused and what nobody knows', () => {
    const facts: Fact[] = [
      { type: 'command', command: 'npm test', exitCode: 1 },
      { type: 'command', command: 'ls', exitCode: 0, sandbox: 'off' },
      { type: 'command', command: 'make', exitCode: null, sandbox: 'no-network' },
      { type: 'command', command: 'git pull', exitCode: 0, sandbox: 'allowed-hosts' },
      { type: 'host', host: 'example.com' },
      { type: 'host', host: 'example.com' },
      { type: 'read', path: 'a.ts', hash: '1' },
      { type: 'read', path: 'a.ts', hash: '2' },
    ]
    const error = { code: 'not_read', message: 'read it first' }
    const receipts = receiptsOf([
      call({ facts }),
      call({ status: 'denied', error: { code: 'denied', message: 'no', reason: 'denied_by_person' } }),
      call({ tool: 'edit', title: 'Edit a.ts', status: 'failed', error }),
      call({ status: 'unknown' }),
    ])
    expect(receipts).toMatchObject({
      read: [{ path: 'a.ts', hash: '2' }],
      commands: [
        { command: 'npm test', exitCode: 1 },
        { command: 'ls', exitCode: 0, sandbox: 'off' },
        { command: 'make', exitCode: null, sandbox: 'no-network' },
        { command: 'git pull', exitCode: 0, sandbox: 'allowed-hosts' },
      ],
      hosts: ['example.com'],
      denied: [{ title: '$ npm test', code: 'denied_by_person', why: 'no' }],
      errors: [{ tool: 'edit', code: 'not_read', why: 'not_read' }],
      unknown: [{ tool: 'bash' }],
      more: {},
    })
    expect(receiptLines(receipts)).toEqual([
      'read: a.ts',
      'commands: `npm test` (exit 1), `ls` (exit 0), `make` (no exit code, in a sandbox, no network), `git pull` (exit 0, in a sandbox, allowed hosts only)',
      'network: example.com',
      'denied: `npm test` (no)',
      'errors: Edit a.ts (not_read)',
      'effect not known: `npm test`',
    ])
  })

  test.each([
    ['unattended', 'denied, because nobody can answer', 'unattended'],
    ['interrupted', 'interrupted before anybody answered', 'interrupted'],
    ['denied', 'denied by user config: bash', 'denied'],
    ['denied', 'denied by ann', 'denied'],
  ])('of a row of an older program have a code too: %s, %s', (code, message, reason) => {
    const { denied } = receiptsOf([call({ status: 'denied', error: { code, message } })])
    expect(denied).toMatchObject([{ code: reason, why: message }])
  })

  test('say of a file what became of it', () => {
    const facts = [changed('new.ts', null, 'abcdef012345'), changed('same.ts', '11', '11')]
    expect(receiptLines(receiptsOf([call({ facts })]))).toEqual([
      'changed: new.ts (new +1 -0, abcdef01), same.ts (written as it was, 11)',
    ])
  })

  test('are bounded, and count what is left out', () => {
    const facts = Array.from({ length: 70 }, (_, i) => changed(`${i}.ts`, null, 'x'))
    const receipts = receiptsOf([call({ facts })])
    expect(receipts.changed).toHaveLength(50)
    expect(receipts.more).toEqual({ changed: 20 })
    expect(receiptLines(receipts)[0]).toMatch(/^changed: 0\.ts .*, and 62 more$/)
  })

  test('are nothing of calls that told nothing', () => {
    expect(receiptsOf([call({})])).toEqual(noReceipts)
    expect(isEmpty(noReceipts)).toBe(true)
    expect(receiptLines(noReceipts)).toEqual([])
  })

  test('of anything are a few short lines that nothing in them can end', () => {
    const text = fc.string({ unit: anyCharacter, maxLength: 500 })
    const fact: fc.Arbitrary<Fact> = fc.oneof(
      fc.record({ type: fc.constant('read' as const), path: text, hash: fc.option(text) }),
      fc.record({ type: fc.constant('command' as const), command: text, exitCode: fc.option(fc.nat()) }),
      fc.record({ type: fc.constant('host' as const), host: text }),
      fc.tuple(text, fc.option(text), fc.option(text)).map(([path, a, b]) => changed(path, a, b)),
    )
    const calls = fc.array(
      fc.record({
        tool: text,
        title: text,
        status: fc.constantFrom('completed', 'failed', 'denied', 'unknown'),
        error: fc.option(fc.record({ code: text, message: text })),
        facts: fc.array(fact, { maxLength: 20 }),
      }),
    )
    fc.assert(
      fc.property(calls, (made) => {
        const lines = receiptLines(receiptsOf(made))
        expect(lines.length).toBeLessThanOrEqual(7)
        for (const line of lines) {
          expect(line).not.toMatch(/[\n\r\u2028\u2029\u0000-\u0008]/)
          expect(line.length).toBeLessThan(800)
        }
        const paths = made.flatMap(({ facts }) => facts).flatMap((each) => ('path' in each ? [each] : []))
        expect(changedFiles(paths).map(({ path }) => path)).toEqual([
          ...new Set(paths.filter(({ type }) => type === 'changed').map(({ path }) => path)),
        ])
      }),
      { numRuns: 200 },
    )
  })
})
