import { afterAll, expect, test } from 'vitest'
import { TestUser } from '../../test/support/test-user.ts'

const user = new TestUser()
afterAll(() => user.remove())

const QUOTE = 'put a text of several words in quotes: "where is the port"'
const OPTIONS = 'put options behind the command: offshoot run -m MODEL "PROMPT"'

test.each([
  [['run', 'where', 'is', 'it'], QUOTE],
  [['-c', 'where', 'is', 'it'], QUOTE],
  [['steer', 'last', 'look', 'there'], QUOTE],
  [['-m', 'offline', 'run', 'where is the port?'], OPTIONS],
  [['-C', '.', 'exec', 'where is the port?'], OPTIONS.replace('offshoot run', 'offshoot exec')],
])('too many words of a prompt, %j: the error says what to do', async (args, hint) => {
  const { code, stdout, stderr } = await user.call(args)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr.split('\n').slice(0, 2)).toEqual([
    expect.stringMatching(/^offshoot: too many arguments for "(?:run|steer)"\. Expected/),
    `  ${hint}`,
  ])
})

test.each([
  [['wher'], 'offshoot: unknown command "wher"'],
  [['show'], 'offshoot: missing required argument "id"'],
  [['run', '--nonsense', "it's"], 'offshoot: unknown option "--nonsense"'],
  [["it's"], 'offshoot: unknown command "it\'s"'],
])('%j has one kind of quotes', async (args, first) => {
  expect((await user.call(args)).stderr.split('\n')[0]).toBe(first)
})

test('no command that is not available yet is suggested', async () => {
  expect((await user.call(['wher'])).stderr).not.toContain('worker')
  expect((await user.call(['brigde'])).stderr).not.toContain('bridge')
})
