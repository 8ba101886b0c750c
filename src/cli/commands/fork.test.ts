import { afterEach, beforeEach, expect, test } from 'vitest'
import { TestUser } from '../../../test/support/test-user.ts'

let user: TestUser
beforeEach(() => {
  user = new TestUser()
})
afterEach(() => user.remove())

test('a fork without a text says how to go on there', async () => {
  const model = user.script({ main: [{ text: 'One.' }, { text: 'Two.' }] })
  await user.call(['run', 'Say a number.', '-m', model])
  const { code, stdout, stderr } = await user.call(['fork', 'last'])
  const branch = /^(brn_\w+)\n$/.exec(stdout)![1]!
  expect([code, stderr]).toEqual([
    0,
    `offshoot: no run yet; to go on there: offshoot continue ${branch} "what to do"\n`,
  ])
  expect(await user.call(['continue', branch, 'And now?'])).toMatchObject({ code: 0 })
})
