import { readFileSync, readdirSync, renameSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { TestUser } from '../support/test-user.ts'

let user: TestUser
beforeEach(() => (user = new TestUser()))
afterEach(() => user.remove())

const ask = (text: string) => ['run', '-m', user.script({ main: [{ text: 'Here it is.' }] }), text]
const names = () => readdirSync(user.home)
const rescuedAt = (text: string) => /its full content is in (\S+)/.exec(text)?.[1] ?? ''

test('a run whose store is removed stops, and says where its conversation is', async () => {
  const script = user.script({ main: [{ text: 'too late', delayMs: 60_000 }] }, 'slow.json')
  const run = user.start(['run', '-m', script, 'What is here?'])
  await run.untilStderr('Thinking')
  for (const name of names().filter((each) => each.startsWith('offshoot.db'))) rmSync(join(user.home, name))
  const { code, stderr } = await run.ended
  expect(code).toBe(1)
  expect(stderr).toContain(`the database ${user.database} was removed while it was open`)
  const copy = rescuedAt(stderr)
  expect(copy.startsWith(`${user.database}.rescued-`)).toBe(true)
  renameSync(copy, user.database)
  expect((await user.run(['ls'])).stdout).toContain('What is here?')
})

test('a server whose store is removed acknowledges nothing any more', async () => {
  const server = user.start(['serve', '--port', '0'])
  await server.untilStdout('\n')
  const port = Number(/:(\d+)\n/.exec(server.stdout)![1])
  const authorization = `Bearer ${readFileSync(join(user.home, 'token'), 'utf8').trim()}`
  const post = () =>
    fetch(`http://127.0.0.1:${port}/api/conversations`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'What is here?', model: 'offline' }),
    })
  expect((await post()).status).toBe(201)
  rmSync(user.database)
  for (const answer of [await post(), await post()]) {
    expect(answer.status).toBe(503)
    expect(await answer.json()).toMatchObject({ error: { code: 'store_lost' } })
  }
  server.kill('SIGTERM')
  await server.ended
})

test('a log that was deleted after a kill, and a database that was cut to nothing, are said by doctor and the next run', async () => {
  const script = user.script({ main: [{ text: 'too late', delayMs: 60_000 }] }, 'slow.json')
  const run = user.start(['run', '-m', script, 'What is here?'])
  await run.untilStderr('Thinking')
  run.kill('SIGKILL')
  await run.ended
  rmSync(`${user.database}-wal`)
  rmSync(`${user.database}-shm`)
  const gone = `the log of the database ${user.database} (-wal) was deleted after a program`
  expect((await user.run(['doctor'])).stdout).toContain(gone)
  expect((await user.run(ask('Again?'))).stderr).toContain(`offshoot: ${gone}`)
  expect(names()).toContainEqual(expect.stringMatching(/^offshoot\.db\.without-log-/))
  expect((await user.run(ask('Once more?'))).stderr).not.toContain('was deleted')

  truncateSync(user.database)
  const empty = `the database ${user.database} is empty but was not before.`
  expect((await user.run(['doctor'])).stdout).toContain(empty)
  expect((await user.run(['ls'])).stderr).toContain(`offshoot: ${empty}`)
})
