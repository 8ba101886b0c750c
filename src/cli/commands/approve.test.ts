import { afterAll, beforeAll, expect, test } from 'vitest'
import { TestUser } from '../../../test/support/test-user.ts'

let user: TestUser
beforeAll(() => void (user = new TestUser()))
afterAll(() => user.remove())

test.each(['approve', 'answer'])('%s without an id says how to write a number', async (name) => {
  expect(await user.call([name])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(
      "\n  quote a number, '#1': to the shell, an unquoted # starts a comment; offshoot ps lists the ids\n",
    ),
  })
})

test.each([
  ['yes', 'did you mean once? '],
  ['No', 'did you mean deny? '],
  ['maybe', ''],
])('an answer that does not exist, %s, is an error that lists the answers', async (typed, meant) => {
  expect(await user.call(['approve', 'apr_1', typed])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: `offshoot: "${typed}" is not an answer to an approval\n  ${meant}answers: once (this call), run (calls of its kind in this run), always (calls of its kind in this conversation), deny\n`,
  })
})

const touches = { toolCalls: [{ tool: 'bash', input: { command: 'touch made' } }] }

test('a denial without anybody to answer names the options that prevent it, once', async () => {
  const model = user.script({ main: [touches, touches, { text: 'Not done.' }] })
  const { code, stderr } = await user.call(['run', 'hi', '-m', model])
  expect(code).toBe(5)
  expect(stderr.match(/^denied: /gm)).toHaveLength(2)
  expect(stderr.match(/^ {2}.*offshoot run --allow RULE.*--mode MODE.*--approvals wait/gm)).toHaveLength(1)
})
