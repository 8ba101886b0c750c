import { afterEach, beforeEach, expect, it } from 'vitest'
import { TestUser } from '../support/test-user.ts'

let user: TestUser
beforeEach(() => {
  user = new TestUser()
})
afterEach(() => user.remove())

it('fork on a terminal lists the messages, and asks which one and for the prompt there', async () => {
  const script = user.script({ main: [{ match: 'pears', text: 'Pears it is.' }, { text: 'Apples.' }] })
  await user.run(['run', 'Which fruit?', '-m', script])
  const program = user.terminal(['fork', '-m', script])
  await program.untilStdout('fork at which message? [1-2] ')
  expect(program.stdout).toContain('   1  User: Which fruit?\r\n   2  main (agent): Apples.\r\n')
  program.type('3\r1\r')
  await program.untilStdout('(empty: none): ')
  program.type('And pears?\r')
  const { code, stdout } = await program.ended
  expect([code, stdout]).toEqual([0, expect.stringContaining('Pears it is.')])
  const [asked] = user.rows("SELECT id FROM messages WHERE role = 'user' ORDER BY id LIMIT 1")
  expect(user.rows("SELECT origin_message_id AS at FROM branches WHERE kind = 'fork'")).toEqual([
    { at: asked!['id'] },
  ])
})

it('fork lists a message of results with the names of the tools', async () => {
  const script = user.script({ main: [{ toolCalls: [{ tool: 'list', input: {} }] }, { text: 'Done.' }] })
  await user.run(['run', 'What is here?', '-m', script])
  const program = user.terminal(['fork', '-m', script])
  await program.untilStdout('fork at which message? [1-4] ')
  expect(program.stdout).toMatch(/ 2 {2}main \(agent\): list\r\n +3 {2}[^\r]*: list\r\n/)
  program.type('\r')
  expect((await program.ended).code).toBe(2)
})

it('rm on a terminal asks, and a no deletes nothing', async () => {
  const script = user.script({ main: [{ text: 'Apples.' }] })
  await user.run(['run', 'Which fruit?', '-m', script])
  const [{ id }] = user.rows('SELECT id FROM conversations') as [{ id: string }]
  const question = `Delete ${id} (Which fruit?): 1 branch, 2 messages, 1 run for good? [y/N] `
  for (const [answer, left] of [
    ['n', 1],
    ['y', 0],
  ] as const) {
    const program = user.terminal(['rm', id])
    await program.untilStdout(question)
    program.type(`${answer}\r`)
    const { code, stdout } = await program.ended
    expect(code).toBe(0)
    expect(stdout).toContain(left === 1 ? 'nothing was deleted' : `deleted: ${id} (Which fruit?)`)
    expect(user.rows('SELECT id FROM conversations')).toHaveLength(left)
  }
})
