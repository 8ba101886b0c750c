import { afterEach, beforeEach, expect, test } from 'vitest'
import { ServedUser, type Began } from '../../test/support/served-user.ts'
import { TestUser } from '../../test/support/test-user.ts'

let served: ServedUser
let first: string
let second: string

beforeEach(async () => {
  const user = new TestUser()
  first = user.script(
    { '*': [{ text: 'the first' }, { text: 'again' }, { text: 'and again' }] },
    'first.json',
  )
  second = user.script({ '*': [{ text: 'the second' }] }, 'second.json')
  const config = { model: first, agents: { explore: { model: second } } }
  user.write('../.config/offshoot/config.jsonc', JSON.stringify(config))
  served = await ServedUser.start(user)
})
afterEach(() => served.remove())

async function modelsOf({ conversationId }: Began): Promise<string[]> {
  await served.ended(conversationId)
  return served.store.find('runs', { where: { conversationId }, orderBy: 'id' }).map(({ model }) => model)
}

async function begin(order: object): Promise<Began> {
  return (await served.post('/conversations', { text: 'hi', ...order })).body as Began
}

test('a conversation has the model that the configuration says of its agent, unless one is named', async () => {
  expect(await modelsOf(await begin({ agent: 'explore' }))).toEqual([second])
  expect(await modelsOf(await begin({ agent: 'explore', model: first }))).toEqual([first])
  expect(await modelsOf(await begin({ agent: 'general' }))).toEqual([first])
})

test('another agent of a conversation works with its own model, the same one with that of its last run', async () => {
  const began = await begin({})
  await modelsOf(began)
  const run = (...args: readonly string[]) =>
    served.user.call(['run', '--conversation', began.conversationId, 'more', ...args])
  expect(await run('--agent', 'explore')).toMatchObject({ code: 0, stdout: 'the second\n' })
  await served.post(`/branches/${began.branchId}/messages`, { text: 'more', model: first })
  expect(await modelsOf(began)).toEqual([first, second, first])
  await served.post(`/branches/${began.branchId}/messages`, { text: 'more' })
  expect(await modelsOf(began)).toEqual([first, second, first, first])
})
