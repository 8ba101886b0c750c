import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ServedUser } from '../../../test/support/served-user.ts'
import type { SessionOpened } from '../../protocol/session.ts'

let served: ServedUser
beforeEach(async () => (served = await ServedUser.start()))
afterEach(() => served.remove())

const cli = (...args: string[]) => served.user.call(['sessions', ...args])

/** A browser that opens the link which the command prints. */
async function signIn(browser: string): Promise<SessionOpened> {
  const { code, stdout, stderr } = await cli('link')
  expect([code, stderr]).toEqual([0, ''])
  const key = new URL(stdout.trim()).hash.replace('#key=', '')
  const headers = { 'content-type': 'application/json', 'user-agent': browser }
  const answer = await fetch(`${served.server.url}/api/sessions`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ key }),
  })
  return (await answer.json()) as SessionOpened
}

const statusOf = async ({ token }: SessionOpened) =>
  (await served.call('GET', '/api/sessions', undefined, { authorization: `Bearer ${token}` })).status

test('a link is printed, and the sessions are listed and revoked where a server runs', async () => {
  const [one, two, three] = [await signIn('one \u009b31m'), await signIn('two'), await signIn('three')]
  const { stdout } = await cli()
  expect((await cli('ls')).stdout).toBe(stdout)
  expect(stdout.split('\n').map((line) => line.split(' ')[0])).toEqual([three.id, two.id, one.id, ''])
  expect(stdout).not.toContain('\u009b')
  const rows = JSON.parse((await cli('--json')).stdout) as object[]
  expect(Object.keys(rows[0]!).toSorted()).toEqual([
    'browser',
    'createdAt',
    'expiresAt',
    'id',
    'port',
    'usedAt',
  ])
  expect(await cli('revoke', one.id)).toMatchObject({ code: 0, stdout: `revoked: ${one.id}\n` })
  expect([await statusOf(one), await statusOf(two)]).toEqual([401, 200])
  expect(await cli('revoke', '--all')).toMatchObject({ code: 0, stdout: 'revoked: 2 sessions\n' })
  expect([await statusOf(two), await statusOf(three)]).toEqual([401, 401])
})

test('without a server they are listed and revoked for the next one, and there is no link', async () => {
  const [one, two] = [await signIn('one'), await signIn('two')]
  const { port } = served.server
  await served.server.close()
  expect((await cli()).stdout).toContain(`${two.id}  port ${port}`)
  expect(await cli('revoke', one.id)).toMatchObject({ code: 0, stdout: `revoked: ${one.id}\n` })
  expect(await cli('link')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no offshoot serve is running'),
  })
  expect(await cli('revoke', one.id)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('there is no session'),
  })
  expect(await cli('revoke', '--all')).toMatchObject({ code: 0, stdout: 'revoked: 1 session\n' })
  expect(await cli()).toMatchObject({ code: 0, stdout: '' })
  writeFileSync(join(served.user.home, 'sessions.json'), '{')
  expect(await cli()).toMatchObject({ code: 3, stderr: expect.stringContaining('delete it') })
})

test.each([
  [['revoke'], 'expected the id of a session or --all'],
  [['revoke', 'ses_1', '--all'], 'expected the id of a session or --all'],
  [['revoke', 'ses_1'], 'there is no session ses_1'],
  [['lnk'], 'did you mean link?'],
])('%j is wrong usage', async (args, message) => {
  expect(await cli(...args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) })
})
