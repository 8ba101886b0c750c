import { afterAll, beforeAll, expect, test } from 'vitest'
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
    expect.stringMatching(/ is not for an agent: .*\n {2}a person does this/),
  ])
})

test.each([
  ['ps'],
  ['permissions', 'ls'],
  ['approve', '--help'],
  ['run', 'x', '-m', 'offline', '--mode', 'ask'],
  ['run', 'x', '-m', 'offline', '--mode', 'plan', '--max-turns', '2'],
])('an agent may: offshoot %s %s %s %s', async (...args) => {
  expect(await user.call(args, { env: AGENT })).toMatchObject({ code: 0 })
})

test('either mark is enough', async () => {
  const { code } = await user.call(['approve', 'x'], { env: { OFFSHOOT_OWNER: 'x' } })
  expect(code).toBe(2)
})
