import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TestUser } from '../../../test/support/test-user.ts'
import { unreadWord } from './prompt-words.ts'

let user: TestUser
beforeAll(() => void (user = new TestUser({ 'src/a.txt': 'a\n' })))
afterAll(() => user.remove())

const SLASH =
  'offshoot: /review is sent to the model as text: slash commands are not read; offshoot agents commands lists their files\n'
const MENTION =
  'offshoot: @critic is sent to the model as text: a mention selects no agent; --agent critic does\n'

describe('a prompt in the words of another program', () => {
  it.each([
    ['/review x', SLASH],
    ['@critic x', MENTION],
  ])('%s is sent as it is, and stderr says so in one line', async (prompt, line) => {
    const { code, stdout, stderr } = await user.call([
      prompt,
      '-m',
      user.script({ main: [{ text: 'Hello.' }] }),
    ])
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Hello.\n' })
    expect(stderr.split(line)).toHaveLength(2)
    expect((await user.call(['log', 'last'])).stdout).toContain(prompt)
  })

  it.each([
    'fix it',
    '/etc/hosts has what?',
    '/tmp is full',
    '@src what is there?',
    '@a.txt x',
    '1/2 of it',
    '/',
    '@ x',
  ])('nothing is said of %j', (prompt) => expect(unreadWord(prompt, user.directory)).toBeUndefined())

  it('a name with a namespace is a command too', () => {
    expect(unreadWord('/git:commit', user.directory)).toContain('/git:commit is sent')
  })
})
