import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startRawServer } from '../../test/support/model-server.ts'
import { ServedUser, type Began } from '../../test/support/served-user.ts'
import { TestUser } from '../../test/support/test-user.ts'
import { handClock } from '../testing.ts'
import { conversationHandlers } from './conversation-handlers.ts'
import type { ServerContext } from './route-handler.ts'

/** Asked for an answer, it gives none. */
let model: Awaited<ReturnType<typeof startRawServer>>
let asked: (readonly unknown[])[]
let served: ServedUser
beforeEach(async () => {
  asked = []
  model = await startRawServer(async (request) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    asked.push((JSON.parse(body) as { messages: unknown[] }).messages)
  })
  const user = new TestUser()
  user.env['OPENAI_BASE_URL'] = `${model.url}/v1`
  served = await ServedUser.start(user)
})
afterEach(async () => {
  await served.remove()
  await model.close()
})

async function begin(): Promise<Began> {
  const { body } = await served.post('/conversations', { text: 'x', model: 'openai-compatible/m' })
  while (asked.length === 0) await turn()
  return body as Began
}

test('what is said while a conversation is deleted goes with it, and no model is asked without a context', async () => {
  const { conversationId: id, branchId } = await begin()
  let isDeleted = false
  const deleted = served.call('DELETE', `/api/conversations/${id}`).finally(() => (isDeleted = true))
  const talk = async () => {
    const statuses = new Set<number>()
    while (!isDeleted)
      statuses.add((await served.post(`/branches/${branchId}/messages`, { text: 'more' })).status)
    return [...statuses]
  }
  const answers = (await Promise.all([talk(), talk(), talk()])).flat()
  expect((await deleted).status).toBe(200)
  for (const status of answers) expect([202, 404, 409]).toContain(status)
  expect((await served.get(`/conversations/${id}`)).status).toBe(404)
  expect(served.store.count('runs', {})).toBe(0)
  await served.stop() // whatever still goes on has ended by then
  expect(asked.map((messages) => messages.length > 0)).toEqual(asked.map(() => true))
  expect(served.said).toEqual([])
})

test('nothing starts in a conversation as long as anybody deletes it', async () => {
  const { conversationId, branchId } = await served.begin({ main: [{ text: 'one' }, { text: 'two' }] })
  await served.ended(conversationId)
  const { store } = served
  const { tx } = store
  const writes: PromiseWithResolvers<void>[] = []
  /** Resolves once one more deletion waits before it writes. */
  const deleting = async () => {
    const count = writes.length
    store.tx = async (...write) => {
      store.tx = tx
      writes.push(Promise.withResolvers())
      await writes.at(-1)!.promise
      return await tx(...write)
    }
    const answer = served.call('DELETE', `/api/conversations/${conversationId}`)
    while (writes.length === count) await turn()
    return { answer, gate: writes.at(-1)! }
  }
  const said = async () => {
    const answer = await served.post(`/branches/${branchId}/messages`, { text: 'more' })
    return [answer.status, ServedUser.why(answer)]
  }
  const refused = [409, `${conversationId} is being deleted: nothing new can start in it`]
  const [first, second] = [await deleting(), await deleting()]
  expect(await said()).toEqual(refused)
  first.gate.reject(new Error('the first one fails'))
  expect((await first.answer).status).toBe(500)
  expect(await said()).toEqual(refused)
  second.gate.resolve()
  expect((await second.answer).status).toBe(200)
  expect((await said())[0]).toBe(404)
})

describe('something that begins between the cancel and the delete', () => {
  /** A conversation whose run comes to life after each of the first cancels. */
  async function spokenTo(times: number) {
    const { store } = served
    const { conversationId, runId } = await begin()
    await served.post(`/conversations/${conversationId}/cancel`)
    let cancels = 0
    const perform = async () => {
      const status = ++cancels > times ? 'cancelled' : 'running'
      await store.tx((tx) => tx.update('runs', runId!, { status }), { durable: true })
    }
    const directoryRuntime = { runtime: { perform }, drives: () => true }
    const context = {
      store,
      clock: handClock(0),
      directoryRuntimes: { of: async () => directoryRuntime, refuseStarts: () => () => {} },
      hub: { forget: () => {} },
    }
    const row = store.get('conversations', conversationId)!
    const deleting = conversationHandlers.deleteConversation(context as unknown as ServerContext, {
      row,
      input: {},
      id: conversationId,
      caller: { kind: 'token' },
      by: 'test',
      author: 'person',
    })
    return { deleting, isThere: () => store.get('conversations', conversationId) !== undefined }
  }

  test('is ended too', async () => {
    const { deleting, isThere } = await spokenTo(2)
    await deleting
    expect(isThere()).toBe(false)
  })

  test('for ever: the conversation stays', async () => {
    const { deleting, isThere } = await spokenTo(100)
    await expect(deleting).rejects.toMatchObject({ status: 409 })
    expect(isThere()).toBe(true)
  })
})
