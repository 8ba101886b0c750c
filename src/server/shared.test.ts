import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ServedUser, type Began } from '../../test/support/served-user.ts'
import { TestUser } from '../../test/support/test-user.ts'

let served: ServedUser
beforeEach(async () => {
  const user = new TestUser()
  user.env['OFFSHOOT_LIMITS__GLOBAL_CONCURRENT'] = '1'
  served = await ServedUser.start(user)
})
afterEach(() => served.remove())

/** A conversation in a directory of its own. */
async function begin(name: string, agents: Parameters<ServedUser['begin']>[0]): Promise<Began> {
  const directory = join(served.user.root, name)
  mkdirSync(directory)
  const model = served.user.script(agents, `${name}.json`)
  const { body } = await served.post('/conversations', { text: 'x', directory, model, mode: 'auto' })
  return body as Began
}

test('what runs in one directory counts in the others: limits.globalConcurrent is of the process', async () => {
  const input = { description: 'look', prompt: 'look', subagent_type: 'explore' }
  const main = [{ toolCalls: [{ tool: 'task', input }] }, { text: 'done' }]
  const explore = [{ text: 'I looked around', chunks: 3, delayMs: 400 }]
  const one = await begin('one', { main, explore })
  await served.until(one.conversationId, ({ type, depth }) => type === 'run.started' && depth === 1)
  const two = await begin('two', { main, explore })
  await Promise.all([one, two].map(({ conversationId }) => served.ended(conversationId)))
  const [first, second] = [one, two].map(
    ({ conversationId }) => served.store.find('runs', { where: { conversationId, depth: 1 } })[0]!,
  )
  expect(second!.startedAt).toBeGreaterThanOrEqual(first!.endedAt!)
})

test('a provider that wants a pause gets it from the runs of every directory', async () => {
  const one = await begin('one', { '*': [{ error: { status: 429, retryAfter: 600 } }, { text: 'a' }] })
  const waits = ({ type }: { readonly type: string }) => type === 'run.waiting'
  await served.until(one.conversationId, waits)
  const two = await begin('two', { '*': [{ text: 'b' }] })
  expect(await served.until(two.conversationId, waits)).toMatchObject({
    waitingFor: { what: 'retry' },
  })
})
