import { expect, test } from 'vitest'
import { callText, temporaryDirectory, testContext, tool } from '../fixtures/context.ts'
import { parseInput } from '../parse-input.ts'
import type { CommandCell, ReachedHost } from '../command-cell.ts'

const bash = tool('bash')
const parsed = (widen: unknown) => parseInput(bash, { command: 'npm ci', widen }) as never

test.each([
  ['*', /a \* is allowed only at the start/],
  ['*:443', /a \* is allowed only at the start|not a host/],
  ['*.example.com:443', /name one host, without a \*/],
  ['*.com:443', /too many hosts|name one host/],
  ['example.com', /name the port too: example\.com:443/],
  ['https://example.com', /without the scheme/],
  ['example.com/path:443', /without a path/],
  ['me@example.com:443', /without a user/],
  ['localhost:3000', /named by its port, in sandbox\.ports/],
  ['db:5432', /named by its port, in sandbox\.ports/],
  ['vault.internal:443', /named by its port, in sandbox\.ports/],
  ['127.0.0.1:80', /only public ones can be reached/],
  ['2130706433:80', /write it as 127\.0\.0\.1/],
  ['10.0.0.1:443', /only public ones can be reached/],
  ['169.254.169.254:80', /only public ones can be reached/],
  ['[::1]:443', /only public ones can be reached/],
  ['[::ffff:10.0.0.1]:443', /write it as|only public ones can be reached/],
  ['example.com:0', /is not a port/],
  ['example.com:443\nother.example:443', /is not a host/],
])('%j cannot be asked for', (host, problem) => {
  expect(() => parsed({ hosts: [host] })).toThrow(problem)
})

test.each([
  ['data', /not an absolute path/],
  ['~/.ssh', /not an absolute path/],
  ['../up', /not an absolute path/],
  ['/data/../etc', /write it as "\/etc"/],
  ['/data/', /write it as "\/data"/],
  ['//data', /write it as "\/data"/],
  ['/data/*', /characters that cannot be asked for/],
  ['/data\n/etc', /characters that cannot be asked for/],
  ['/data\u202eatad', /characters that cannot be asked for/],
])('the directory %j cannot be asked for', (directory, problem) => {
  expect(() => parsed({ directories: [directory] })).toThrow(problem)
})

test.each([
  [{ network: ['example.com:443'] }],
  [{ hosts: Array.from({ length: 9 }, (_, n) => `h${n}.example:443`) }],
  ['example.com:443'],
])('%j is not understood, and refused', (widen) => {
  expect(() => parsed(widen)).toThrow(/wrong input for bash: widen/)
})

test('a call says what it asks for, before its command, and the rules decide each part', () => {
  const input = parsed({ hosts: ['Registry.Example.com:443', 'registry.example.com:443', 'b.example:8443'] })
  expect(bash.title(input)).toBe('with access to registry.example.com:443, b.example:8443: $ npm ci')
  expect(bash.subject(input)).toEqual([
    { kind: 'command', value: 'npm ci' },
    { kind: 'sandbox_network', value: 'registry.example.com:443' },
    { kind: 'sandbox_network', value: 'b.example:8443' },
  ])
  expect(bash.title(parsed(undefined))).toBe('$ npm ci')
  expect(bash.subject(parsed({}))).toEqual([{ kind: 'command', value: 'npm ci' }])
})

const refusal = (host: string, refused: string | null): ReachedHost => ({
  host,
  port: 443,
  refused,
  sent: 0,
  received: 0,
})

test('a refusal says how to ask again, for what a person can allow', async () => {
  await using at = await temporaryDirectory()
  const asked: unknown[] = []
  const cell: CommandCell = {
    run: async (_, widening) => {
      asked.push(widening)
      const unlisted = 'sandbox.network does not name it (a person can)'
      const reached = [
        refusal('a.example', unlisted),
        refusal('b.example', null),
        refusal('10.0.0.1', 'it is not a public host'),
        refusal('inside.example', 'leads to 10.0.0.1, and only public ones are reached'),
      ]
      const result = { ...ENDED, output: 'no\n' }
      const widened = { hosts: [], directories: [] }
      const refusedPaths = [
        { path: '/data/a/x', isReadOnly: true, directory: '/data/a' },
        { path: '/data/a/y', isReadOnly: false, directory: '/data/a' },
        { path: '/work/.git/config', isReadOnly: true, directory: null },
      ]
      return { result, moved: [], reached, refusedPaths, sandbox: 'no-network', widened, wasAlone: false }
    },
  }
  const text = await callText('bash', { command: 'npm ci' }, testContext(at.path, { cell }))
  expect(text).toContain(
    '; its output names /data/a/x, which can only be read in the sandbox' +
      '; its output names /data/a/y, which is not shown in the sandbox' +
      '; its output names /work/.git/config, which can only be read in the sandbox and cannot be asked for' +
      '; to ask a person for it, run the command again with "widen": ' +
      '{"hosts":["a.example:443"],"directories":["/data/a"]})',
  )
  await callText(
    'bash',
    { command: 'npm ci', widen: { hosts: ['a.example:443'] } },
    testContext(at.path, { cell }),
  )
  expect(asked).toEqual([
    { hosts: [], directories: [] },
    { hosts: ['a.example:443'], directories: [] },
  ])
})

const ENDED = {
  exitCode: 1,
  signal: null,
  timedOut: false,
  aborted: false,
  errorOutput: '',
  droppedBytes: 0,
  durationMs: 1,
  leftRunning: false,
  survivors: [],
}
