import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TestUser } from '../../test/support/test-user.ts'

let user: TestUser
beforeAll(() => void (user = new TestUser()))
afterAll(() => user.remove())

const AGENT = { OFFSHOOT_RUN_ID: 'run_1' }

test.each([
  ['approve', 'apr_1', 'once'],
  ['approve', 'apr_1'],
  ['answer', 'que_1', 'x'],
  ['permissions', 'revoke', 'x'],
  ['run', 'x', '--mode', 'auto'],
  ['run', 'x', '--mode=accept-edits'],
  ['run', 'x', '-m', 'scripted:x.json'],
  ['run', 'x', '--budget-usd', '1'],
  ['run', 'x', '--max-budget-usd', '1'],
  ['run', 'x', '--permission-mode', 'acceptEdits'],
  ['run', 'x', '--allow', 'bash'],
  ['x and y', '--allowedTools', 'Bash'],
  ['run', 'x', '--add-dir', '/'],
  ['spawn', 'x', '--mode', 'auto', '--background'],
  ['continue', 'x', '--mode', 'auto'],
  ['continue', 'x', '--budget-usd', '9'],
  ['fork', 'x', '--mode', 'auto'],
  ['fork', 'x', '-m', 'scripted:x'],
  ['recover', '--mode', 'auto'],
  ['serve', '--expose'],
  ['inbox', 'x', '--edit', 'inb_1', 'other words'],
])('an agent may not: offshoot %s %s %s %s', async (...args) => {
  const { code, stderr } = await user.call(args, { env: AGENT })
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/ is reserved for a person, .*\n {2}a person does this/),
  ])
})

test.each([
  ['ps'],
  ['permissions', 'ls'],
  ['approve', '--help'],
  ['run', 'x', '-m', 'offline', '--mode', 'ask'],
  ['run', 'x', '-m', 'offline', '--permission-mode', 'plan'],
  ['run', 'x', '-m', 'offline', '--deny', 'bash'],
  ['run', 'x', '-m', 'offline', '--mode', 'plan', '--max-turns', '2'],
])('an agent may: offshoot %s %s %s %s', async (...args) => {
  expect(await user.call(args, { env: AGENT })).toMatchObject({ code: 0 })
})

test('either mark is enough', async () => {
  const { code } = await user.call(['approve', 'x'], { env: { OFFSHOOT_OWNER: 'x' } })
  expect(code).toBe(2)
})

describe.each(['accept-edits', 'auto'])('in a conversation that a person has given the mode %s', (mode) => {
  test.each([
    ['continue', (id: string) => ['continue', id, 'x']],
    ['continue in a narrower mode', (id: string) => ['continue', id, 'x', '--mode', 'ask']],
    ['run', (id: string) => ['run', 'x', '-m', 'offline', '--conversation', id]],
    ['run --continue', () => ['run', 'x', '-m', 'offline', '--continue']],
    ['spawn', (id: string) => ['spawn', 'x', '-m', 'offline', '--conversation', id]],
    ['steer', (id: string) => ['steer', id, 'x']],
  ])('an agent starts no turn by %s, also when nobody drives it', async (_, args) => {
    const { code, stderr } = await user.call(args(await begun(mode)), { env: AGENT })
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`a turn in the mode ${mode} is reserved for a person`),
    ])
  })

  test('a person goes on', async () => {
    expect(await user.call(['continue', await begun(mode), 'x'])).toMatchObject({ code: 0 })
  })
})

test.each(['ask', 'plan'])('an agent goes on in a conversation of the mode %s', async (mode) => {
  expect(await user.call(['continue', await begun(mode), 'x'], { env: AGENT })).toMatchObject({ code: 0 })
})

/** The id of a conversation in which one run has ended. */
async function begun(mode: string): Promise<string> {
  const { code } = await user.call(['run', 'x', '-m', 'offline', '--mode', mode])
  expect(code).toBe(0)
  return user.rows('SELECT id FROM conversations ORDER BY id DESC LIMIT 1')[0]!.id as string
}
