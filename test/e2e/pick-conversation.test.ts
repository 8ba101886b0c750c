import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { TestUser } from '../support/test-user.ts'

let user: TestUser
beforeEach(() => {
  user = new TestUser()
})
afterEach(() => user.remove())

it('-r on a terminal lists the conversations, and asks for one of them and for the message', async () => {
  const script = user.script({ main: [{ match: 'pears', text: 'Pears it is.' }, { text: 'Apples.' }] })
  const other = join(user.root, 'other')
  mkdirSync(other)
  await user.run(['run', 'Which nut?', '-m', script, '-C', other])
  await user.run(['run', 'Which fruit?', '-m', script])
  const program = user.terminal(['-r', '-m', script])
  await program.untilStdout('Resume which conversation? [1] ')
  expect(program.stdout).toMatch(/TITLE +AGE +STATE +AGENT +DIRECTORY\r\n/)
  expect(program.stdout).toMatch(/1 +Which fruit\? +just now +completed +main\r\n/)
  expect(program.stdout).toMatch(/2 +Which nut\? +just now +completed +main +\S+other\r\n/)
  program.type('1\r')
  await program.untilStdout('Message to "Which fruit?": ')
  program.type('And pears?\r')
  const { code, stdout } = await program.ended
  expect([code, stdout]).toEqual([0, expect.stringContaining('Pears it is.')])
  expect(user.rows('SELECT id FROM conversations')).toHaveLength(2)
})

it('-r works where the picked conversation does, and -c asks for the message alone', async () => {
  const script = user.script({ main: [{ text: 'Apples.' }, { text: 'Walnuts.' }, { text: 'Hazelnuts.' }] })
  const other = join(user.root, 'other')
  mkdirSync(other)
  await user.run(['run', 'Which nut?', '-m', script, '-C', other])
  const picking = user.terminal(['-r', '-m', script])
  await picking.untilStdout('Resume which conversation? [1] ')
  picking.type('\r')
  await picking.untilStdout('Message to "Which nut?": ')
  picking.type('And now?\r')
  expect(await picking.ended).toMatchObject({ code: 0 })
  const latest = user.terminal(['-c', '-C', other, '-m', script])
  await latest.untilStdout('Message to "Which nut?": ')
  latest.type('\r')
  const { code, stdout } = await latest.ended
  expect([code, stdout]).toEqual([2, expect.stringContaining('--continue needs a prompt')])
})
