import { afterEach, beforeEach, expect, it } from 'vitest'
import { TestUser } from '../../../test/support/test-user.ts'

let user: TestUser
beforeEach(() => void (user = new TestUser({ 'server.ts': 'export const port = 4680\n' })))
afterEach(() => user.remove())

it('a token limit that somebody has set binds the offline model, though it costs nothing', async () => {
  user.write('offshoot.jsonc', JSON.stringify({ limits: { maxTokens: 1_500 } }))
  const { code, stdout, stderr } = await user.call([
    'run',
    'Where is the port?',
    '-m',
    'offline',
    '--output-format',
    'json',
  ])
  expect({ code, ...(JSON.parse(stdout) as object) }).toMatchObject({
    code: 4,
    status: 'paused',
    reason: 'budget',
  })
  expect(stderr).toMatch(/the next request may take [\d,]+ tokens, .* of 1,500 tokens are used/)
  expect(stderr).toContain('after you have raised limits.maxTokens in the configuration')
})

it('a budget in dollars and the default token limit do not bind it', async () => {
  const asked = ['run', 'Where is the port?', '-m', 'offline', '--budget-usd', '0']
  expect(await user.call(asked)).toMatchObject({ code: 0, stdout: expect.stringContaining('server.ts:1') })
})
