import { afterEach, beforeEach, expect, test } from 'vitest'
import { TestUser } from '../../../test/support/test-user.ts'

let user: TestUser

beforeEach(() => {
  user = new TestUser()
  const prices = {
    'anthropic/claude-sonnet-5': { input: 1.25, output: 7 },
    'openai-compatible/mine': { input: 0.5, output: 2 },
  }
  user.write('../.config/offshoot/config.jsonc', JSON.stringify({ prices }))
})

afterEach(() => user.remove())

test('models lists the prices of the configuration before those of the table, and every model that has one', async () => {
  const { code, stdout } = await user.call(['models'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^anthropic\/claude-sonnet-5 +1000000 tokens {2}\$1\.25\/7 per million$/m)
  expect(stdout).toMatch(/^openai-compatible\/mine +\? tokens {2}\$0\.5\/2 per million$/m)
  expect(stdout.match(/claude-sonnet-5 /g)).toHaveLength(1)
})

test('so does --json', async () => {
  const models = JSON.parse((await user.call(['models', '--json'])).stdout) as object
  expect(models).toMatchObject({
    'anthropic/claude-sonnet-5': { window: 1_000_000, price: { input: 1.25, output: 7 } },
    'openai-compatible/mine': { window: null, price: { input: 0.5 } },
    'openai/gpt-6-sol': { price: { input: 2 } },
  })
})
