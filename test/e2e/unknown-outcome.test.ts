import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { OffshootError } from '../../src/core/errors.ts'
import type { Store } from '../../src/store/port.ts'
import { openSqliteFile } from '../../src/store/sqlite/open.ts'
import { TestUser } from '../support/test-user.ts'

let user: TestUser
let model: string

/** A program is killed while its command runs. */
beforeEach(async () => {
  user = new TestUser()
  const command = 'touch begun; sleep 1000'
  model = user.script({
    main: [
      { match: 'fill the disk', toolCalls: [{ tool: 'bash', input: { command: 'touch more' } }] },
      { match: 'its result is unknown', text: 'I have checked.' },
      { match: 'Start', toolCalls: [{ tool: 'bash', input: { command } }] },
      { match: 'go on', text: 'I have looked.' },
    ],
  })
  const program = user.start(['run', 'Start', '-m', model, '--mode', 'auto'])
  await vi.waitUntil(() => existsSync(join(user.directory, 'begun')), { timeout: 30_000 })
  program.kill('SIGKILL')
  await program.ended
})
afterEach(() => user.remove())

const BEGAN =
  '`$ touch begun; sleep 1000` was started at \\d\\d:\\d\\d:\\d\\d UTC \\(\\d{4}-\\d\\d-\\d\\d\\); its result is unknown'
const FOUND = 'offshoot: recovered 1 run of a process that has died: 1 '
const began = new RegExp(BEGAN.replaceAll('$ ', '\\$ '))

const hashOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')
const branch = () => user.rows('SELECT branch_id AS id FROM runs')[0]!['id'] as string

async function expectTold(): Promise<void> {
  for (const args of [
    ['show', branch(), '--messages'],
    ['log', branch()],
    ['export', conversation()],
  ]) {
    const { code, stdout } = await user.run(args)
    expect(code, args.join(' ')).toBe(0)
    expect(stdout).toMatch(began)
  }
  const events = user.rows("SELECT events FROM events WHERE events LIKE '%tool.unknown%'")
  expect(events).toHaveLength(1)
}

const conversation = () => user.rows('SELECT id FROM conversations')[0]!['id'] as string

describe('a command whose result is not known', () => {
  it('is told of by recover, to the person and to the model, and shown afterwards', async () => {
    const files = () => readdirSync(user.home).map((name) => [name, hashOf(join(user.home, name))])
    const before = files()
    expect(await user.run(['recover', '--dry-run'])).toMatchObject({ code: 0, stderr: '' })
    expect(files()).toEqual(before)
    const { code, stdout, stderr } = await user.run(['recover'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^run_\w+ {2}main {2}main {2}completed {2}attempt 2\n$/)
    const [unknown, found] = stderr.split('\n')
    expect(found).toBe(`${FOUND}resumed`)
    expect(unknown).toMatch(began)
    await expectTold()
  })

  it('is told of by continue', async () => {
    const continued = await user.run(['continue', branch(), 'go on'])
    expect(continued.stderr).toContain(`${FOUND}resumed`)
    expect(continued.stderr).toMatch(began)
    await expectTold()
  })

  it('is told of by run, in the conversation that it names', async () => {
    const ran = await user.run(['run', 'go on', '--conversation', conversation(), '-m', model])
    expect(ran.stderr).toContain(`${FOUND}resumed`)
    expect(ran.stderr).toMatch(began)
    await expectTold()
  })

  it('is told of by cancel', async () => {
    const cancelled = await user.run(['cancel', branch()])
    expect(cancelled.code).toBe(0)
    expect(cancelled.stderr).toMatch(began)
    await expectTold()
  })

  it('is told of where the policy is to pause', async () => {
    user.write('offshoot.jsonc', '{"recovery": "pause"}')
    const recovered = await user.run(['recover'])
    expect(recovered).toMatchObject({ code: 0, stdout: expect.stringContaining('paused (restart)') })
    expect(recovered.stderr).toContain(`${FOUND}paused`)
    expect(recovered.stderr).toMatch(began)
    await expectTold()
  })
})

describe('a command whose result the store cannot take', () => {
  const more = /^offshoot: \$ touch more: whether it took effect is not known \(run_\w+\)$/gm
  /** A store that is full when a call has completed, and has room again afterwards. */
  const openFile: typeof openSqliteFile = async (options) => {
    const store = await openSqliteFile(options)
    let isFull = true
    const tx: Store['tx'] = (write, durability) =>
      store.tx((tx) => {
        const result = write(tx)
        if (!isFull || tx.count('tool_calls', { status: 'completed' }) === 0) return result
        isFull = false
        throw new OffshootError('store_full', 'the disk is full')
      }, durability)
    return { ...store, tx }
  }

  it('is told of by run', async () => {
    const ran = await user.call(['run', 'fill the disk', '-m', model, '--mode', 'auto'], { openFile })
    expect(ran.code).toBe(1)
    expect(ran.stderr.match(more)).toHaveLength(1)
  })

  it('is told of by recover, and what was found before only once', async () => {
    user.script({
      main: [
        { match: 'its result is unknown', toolCalls: [{ tool: 'bash', input: { command: 'touch more' } }] },
      ],
    })
    const recovered = await user.call(['recover', '--mode', 'auto'], { openFile })
    expect(recovered.stderr.match(more)).toHaveLength(1)
    expect(recovered.stderr.match(/not known/g)).toHaveLength(2)
    expect(recovered.stderr).toMatch(began)
  })
})
