import { afterAll, beforeAll, expect, test } from 'vitest'
import { ServedUser } from '../../test/support/served-user.ts'
import { TestUser } from '../../test/support/test-user.ts'

let served: ServedUser

const price = { input: 3, output: 7, cacheRead: 1, cacheWrite: 4 }
const config = { prices: { 'ollama/mine:8b': price, 'openai/gpt-6-sol': price } }

beforeAll(async () => {
  const user = new TestUser({ 'offshoot.jsonc': JSON.stringify(config) })
  await user.trust()
  served = await ServedUser.start(user)
})
afterAll(() => served.remove())

test('the models are told with the prices of the configuration, those of the vendors, and what costs nothing', async () => {
  const { body } = await served.get('/models')
  const models = body as unknown as { id: string; price: unknown }[]
  const priceOf = (id: string) => models.find((model) => model.id === id)?.price
  expect(priceOf('ollama/mine:8b')).toEqual({ input: 3, output: 7 })
  expect(priceOf('openai/gpt-6-sol')).toEqual({ input: 3, output: 7 })
  expect(priceOf('openai/gpt-6-luna')).toEqual({ input: 0.1, output: 0.5 })
  expect(priceOf('offline')).toEqual({ input: 0, output: 0 })
})
