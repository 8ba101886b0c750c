import { cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ServedUser } from '../../test/support/served-user.ts'
import { TestUser } from '../../test/support/test-user.ts'

const HOSTILE = fileURLToPath(new URL('../../test/e2e/fixtures/hostile-repository', import.meta.url))

let served: ServedUser
beforeEach(async () => {
  const user = new TestUser()
  cpSync(HOSTILE, user.directory, { recursive: true })
  served = await ServedUser.start(user)
})
afterEach(() => served.remove())

interface Trust {
  readonly directory: string
  readonly digest: string
  readonly trusted: boolean
  readonly requests: readonly { readonly text: string; readonly granted: boolean }[]
}

const trust = async () => (await served.get('/trust')).body as unknown as Trust
const made = (name: string) => existsSync(join(served.user.directory, name))
/** What a new conversation may do: whether its command was run without a question. */
async function ranBash(name: string): Promise<boolean> {
  const call = { tool: 'bash', input: { command: `touch ${name}` } }
  const { conversationId } = await served.begin({ '*': [{ toolCalls: [call] }, { text: 'Done.' }] })
  const event = await served.until(
    conversationId,
    ({ type }) => type === 'approval.requested' || type === 'run.completed',
  )
  if (event.type === 'approval.requested')
    await served.post(`/approvals/${event.approvalId}`, { answer: 'deny' })
  await served.ended(conversationId)
  return made(name)
}

test('a served directory grants nothing before trust, from then on what was shown, and after a revoke nothing', async () => {
  expect(await ranBash('a')).toBe(false)
  expect(served.said.filter((line) => line.includes('not granted'))).toHaveLength(1)
  const asked = await trust()
  expect(asked).toMatchObject({ trusted: false, directory: served.user.directory })
  expect(asked.requests).toHaveLength(20)
  expect((await served.get('/conversations')).body).toHaveLength(1)

  const given = await served.post('/trust', { digest: asked.digest })
  expect(given).toMatchObject({ status: 200, body: { trusted: true } })
  expect(await ranBash('b')).toBe(true)

  expect(await served.post('/trust/revoke')).toMatchObject({ status: 200, body: { trusted: false } })
  expect(await ranBash('c')).toBe(false)
})

test('a yes is for what was shown: for anything else it is refused, and nothing is granted', async () => {
  const { digest } = await trust()
  served.user.write('offshoot.jsonc', '{ "permissions": ["bash:*"] }')
  for (const said of [digest, 'x'.repeat(64)])
    expect(await served.post('/trust', { digest: said })).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict' } },
    })
  expect(await served.post('/trust', {})).toMatchObject({ status: 422 })
  expect(await served.post('/trust', { digest, directory: 'relative' })).toMatchObject({ status: 422 })
  expect(await served.post('/trust', { digest, directory: '/nowhere/at/all' })).toMatchObject({ status: 422 })
  expect(await ranBash('a')).toBe(false)
})

test('a file that changes while the server works gives nobody more, and a trust by another terminal counts at the next run', async () => {
  served.user.write('offshoot.jsonc', '{ "permissions": ["bash:touch a*"] }')
  await served.user.trust()
  expect(await ranBash('a1')).toBe(true)
  served.user.write('offshoot.jsonc', '{ "permissions": ["bash:touch a*", "bash:touch b*"] }')
  expect(await ranBash('b1')).toBe(false)
  expect((await trust()).requests.map(({ granted }) => granted)).toContain(false)
  await served.user.trust()
  expect(await ranBash('b2')).toBe(true)
  expect(await served.user.call(['trust', '--revoke'])).toMatchObject({ code: 0 })
  expect(await ranBash('a2')).toBe(false)
})

test('a run that is going on is not lost when what is granted changes', async () => {
  const call = { tool: 'bash', input: { command: 'touch later' } }
  const { conversationId } = await served.begin({ '*': [{ toolCalls: [call] }, { text: 'Done.' }] })
  const asked = await served.until(conversationId, ({ type }) => type === 'approval.requested')
  await served.post('/trust', { digest: (await trust()).digest })
  expect(await ranBash('now')).toBe(true)
  const { approvalId } = asked as typeof asked & { readonly approvalId: string }
  expect(await served.post(`/approvals/${approvalId}`, { answer: 'once' })).toMatchObject({ status: 200 })
  await served.ended(conversationId)
  expect(made('later')).toBe(true)
})
