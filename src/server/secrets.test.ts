import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ServedUser } from '../../test/support/served-user.ts'
import { TestUser } from '../../test/support/test-user.ts'
import { paths } from '../protocol/route-paths.ts'

let served: ServedUser
beforeAll(async () => {
  const user = new TestUser()
  user.env['ANTHROPIC_API_KEY'] = 'sk-ant-secret1'
  user.env['OPENAI_API_KEY'] = 'secret2'
  user.env['OPENAI_BASE_URL'] = 'http://me:secret3@127.0.0.1:9/v1?key=secret4'
  user.env['XDG_CONFIG_HOME'] = join(user.root, 'config')
  mkdirSync(join(user.root, 'config/offshoot'), { recursive: true })
  const config = {
    baseUrls: { anthropic: 'http://me:secret5@127.0.0.1:9/v1?key=secret6' },
    search: { provider: 'brave', keys: { brave: 'secret7' } },
  }
  writeFileSync(join(user.root, 'config/offshoot/config.jsonc'), JSON.stringify(config))
  served = await ServedUser.start(user)
})
afterAll(() => served.remove())

test('no key, password or token is in an answer, in the store, or in what the server says', async () => {
  const answers: string[] = []
  for (const model of ['openai/gpt-5', 'anthropic/claude-sonnet-5']) {
    const begun = await served.post('/conversations', { text: 'x', model })
    answers.push(JSON.stringify(begun.body))
    const { conversationId } = begun.body as { conversationId: string }
    await served.until(conversationId, ({ type }) => type === 'run.waiting' || type === 'run.failed')
    answers.push(JSON.stringify((await served.get(`/conversations/${conversationId}`)).body))
    answers.push(JSON.stringify((await served.get(`/conversations/${conversationId}/export`)).body))
  }
  for (const [method, path] of Object.values(paths))
    if (method === 'GET' && !path.includes(':'))
      answers.push(JSON.stringify((await served.get(path === '/runs' ? '/runs?status=all' : path)).body))
  const all = [...answers, ...served.said, JSON.stringify(served.store.find('events', {}))].join('\n')
  expect(all).toContain('127.0.0.1:9') // the addresses are told, without what is secret in them
  expect(all).not.toMatch(/secret\d/)
  expect(all).not.toContain(served.token)
})
