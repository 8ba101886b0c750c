import { afterAll, beforeAll, expect, test } from 'vitest'
import { TestUser } from '../support/test-user.ts'

let user: TestUser
let model: string

beforeAll(() => {
  user = new TestUser()
  model = user.script({ '*': [{ text: 'done' }] })
})
afterAll(() => user.remove())

/** What the last run was asked. */
function prompt(): string {
  const [row] = user.rows(
    "SELECT p.part FROM parts p JOIN messages m ON m.id = p.message_id WHERE m.role = 'user' ORDER BY p.id DESC LIMIT 1",
  )
  return (JSON.parse(row!['part'] as string) as { text: string }).text
}

test('what is piped goes with the prompt; with `-` it is the prompt; an empty pipe and none change nothing', async () => {
  expect(await user.run(['why is it?', '-m', model], { input: 'a log\n' })).toMatchObject({ code: 0 })
  expect(prompt()).toBe('why is it?\n\nData from stdin:\n```\na log\n```')
  expect(await user.run(['-', '-m', model], { input: 'all of it' })).toMatchObject({ code: 0 })
  expect(prompt()).toBe('all of it')
  for (const options of [{ input: '' }, {}]) {
    expect(await user.run(['why is it?', '-m', model], options)).toMatchObject({ code: 0 })
    expect(prompt()).toBe('why is it?')
  }
}, 60_000)

test('a stream that nobody writes to and nobody ends holds no run up', async () => {
  const program = user.start(['why is it?', '-m', model], { typing: true })
  expect(await program.ended).toMatchObject({ code: 0, stdout: 'done\n' })
  expect(prompt()).toBe('why is it?')
}, 60_000)
