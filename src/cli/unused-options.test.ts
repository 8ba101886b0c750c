import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TestUser } from '../../test/support/test-user.ts'
import type { ConversationId } from '../core/ids.ts'
import { systemClock } from '../exec/system-clock.ts'
import { Ownership } from '../runtime/ownership/leases.ts'
import { openSqliteStore } from '../store/sqlite/open.ts'

let user: TestUser
let ids: { readonly conversation: ConversationId; readonly branch: string; readonly message: string }

beforeAll(async () => {
  user = new TestUser()
  const model = user.script({ '*': [{ text: 'done' }] })
  await user.call(['run', 'Go.', '-m', model])
  const [row] = user.rows(
    'SELECT conversation_id AS conversation, branch_id AS branch, id AS message FROM messages',
  )
  ids = row as typeof ids
})

afterAll(() => user.remove())

function counts(): unknown {
  return user.rows(
    'SELECT (SELECT count(*) FROM branches) AS branches, (SELECT count(*) FROM runs) AS runs, (SELECT count(*) FROM commands) AS commands',
  )
}

describe('fork without a text', () => {
  test.each([
    ['-m', 'offline'],
    ['--mode', 'auto'],
    ['--approvals', 'deny'],
    ['--approvals', 'wait'],
    ['--max-turns', '3'],
    ['--budget-usd', '1'],
    ['--output-format', 'json'],
    ['--output-format', 'text'],
    ['--raw-output'],
    ['-m', 'offline', '--max-turns', '3'],
  ])('refuses %s %s, which could do nothing, and makes no branch', async (...options) => {
    const before = counts()
    const { code, stdout, stderr } = await user.call(['fork', ids.message, ...options])
    expect([code, stdout]).toEqual([2, ''])
    const long = options
      .filter((each) => each.startsWith('-'))
      .map((each) => (each === '-m' ? '--model' : each))
    expect(stderr).toBe(
      `offshoot: ${long.join(', ')} has no effect: without a text no run starts on the new branch\n` +
        '  add a text (offshoot fork MESSAGE "what to say"), or leave the options out\n',
    )
    expect(counts()).toEqual(before)
  })

  test('and without options makes a branch', async () => {
    const { code, stderr } = await user.call(['fork', ids.message])
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^offshoot: no run yet; to go on there: .*\n$/)])
  })
})

describe('--background refuses what does not reach the server', () => {
  const id = 'cnv_00000000000000000000000000'
  test.each([
    [['run', 'x', '--raw-output'], /^offshoot: --raw-output has no effect: with --background no answer/],
    [['spawn', 'x', '--raw-output'], /^offshoot: --raw-output has no effect/],
    [['run', 'x', '--approvals', 'deny'], /^offshoot: --approvals has no effect: the server asks/],
    [['spawn', 'x', '--approvals', 'deny'], /^offshoot: --approvals has no effect/],
    [['run', 'x', '--continue', '--mode', 'plan'], /^offshoot: --mode has no effect: .* as it is/],
    [['run', 'x', '--continue', '--agent', 'plan'], /^offshoot: --agent has no effect/],
    [
      ['run', 'x', '--conversation', id, '-C', '/', '--mode', 'plan'],
      /^offshoot: --directory, --mode has no effect/,
    ],
    [['spawn', 'x', '--conversation', id, '--mode', 'plan'], /^offshoot: --mode has no effect/],
    [['spawn', 'x', '--conversation', id, '-C', '/'], /^offshoot: --directory has no effect/],
  ])('%j', async (args, said) => {
    const { code, stdout, stderr } = await user.call([...args, '--background'])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(said)
  })

  test.each([
    ['run', 'x', '--approvals', 'wait', '--mode', 'plan', '--agent', 'main', '-C', '.'],
    ['run', 'x', '--continue', '-C', '.'],
    ['spawn', 'x', '--approvals', 'wait', '--mode', 'plan', '-C', '.'],
  ])('but not %s %s %s %s', async (...args) => {
    expect((await user.call([...args, '--background'])).stderr).toMatch(
      /^offshoot: no offshoot serve is running/,
    )
  })
})

describe('what another process drives', () => {
  test.each(['continue', 'fork', 'spawn'])('%s is told no mode and nobody to ask there', async (name) => {
    const store = await openSqliteStore({ file: user.database })
    const other = new Ownership({ store, clock: systemClock, owner: 'another terminal' })
    await other.acquire(ids.conversation)
    const command = {
      continue: ['continue', ids.conversation, 'x'],
      fork: ['fork', ids.message, 'x'],
      spawn: ['spawn', 'x', '--conversation', ids.conversation],
    }[name]!
    const before = counts()
    for (const [options, flag] of [
      [['--mode', 'plan'], '--mode'],
      [['--approvals', 'deny'], '--approvals deny'],
    ] as const) {
      const { code, stdout, stderr } = await user.call([...command, ...options])
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toContain(
        `offshoot: ${flag} has no effect: process ${process.pid} runs this conversation, and decides that itself\n  leave it out, or wait`,
      )
    }
    expect(counts()).toEqual(before)
    await other.release(ids.conversation)
    await store.close()
  })
})

describe('recover --dry-run', () => {
  test.each([
    ['--pause', ['--pause']],
    ['--mode', ['--mode', 'auto']],
    ['--pause, --mode', ['--mode', 'plan', '--pause']],
  ])('refuses %s, which could do nothing', async (named, options) => {
    expect(await user.call(['recover', '--dry-run', ...options])).toMatchObject({
      code: 2,
      stdout: '',
      stderr:
        `offshoot: ${named} has no effect: with --dry-run nothing is recovered\n` +
        '  leave it out, or leave out --dry-run\n',
    })
  })
})
