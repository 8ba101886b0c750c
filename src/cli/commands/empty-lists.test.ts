import { mkdirSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { TestUser } from '../../../test/support/test-user.ts'

let user: TestUser
beforeEach(() => {
  user = new TestUser()
  mkdirSync(user.home)
})
afterEach(() => user.remove())

const FILTERED = 'leave out --status and --search to list more'

test.each([
  ['ls', 'no conversations yet', 'offshoot "PROMPT" starts one'],
  ['ls -C .', 'no conversations in .*/work', 'offshoot ls lists those of every directory'],
  ['ls --search parser', 'no conversation matches', FILTERED],
  ['ls --status failed', 'no conversation matches', FILTERED],
  ['ps', 'no active or paused runs', 'offshoot ps --all lists ended runs too; offshoot "PROMPT" starts one'],
  ['ps --all', 'no runs yet', 'offshoot "PROMPT" starts one'],
  ['ps --status running', 'no run matches', FILTERED],
  [
    'permissions',
    'no permissions granted in .*/work',
    'an approval answered with always grants one; docs/permissions.md describes rules',
  ],
  ['permissions ls', 'no permissions granted in .*/work', '.*'],
  ['sessions', 'no browser is signed in', 'offshoot serve --open signs one in'],
  ['trust --list', 'no trusted directories', 'offshoot trust DIR trusts one'],
])('offshoot %s says that the list is empty, and what to do', async (line, what, next) => {
  const args = line.split(' ')
  const { code, stdout, stderr } = await user.call(args)
  expect([code, stdout]).toEqual([0, ''])
  expect(stderr).toMatch(new RegExp(`^offshoot: ${what}\n  ${next}\n$`))
  expect(await user.call([...args, '--json'])).toMatchObject({ code: 0, stdout: '[]\n', stderr: '' })
})

test('inbox says that every message is read, and what sends one', async () => {
  const model = user.script({ main: [{ text: 'Done.' }] })
  await user.call(['run', 'hi', '-m', model])
  expect(await user.call(['inbox', 'last'])).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringMatching(
      /^offshoot: no unread messages on brn_\w+\n {2}offshoot steer ID "TEXT" sends one to an active run; offshoot continue ID "TEXT" to a stopped one\n$/,
    ),
  })
  expect(await user.call(['inbox', 'last', '--json'])).toMatchObject({ stdout: '[]\n', stderr: '' })
})
