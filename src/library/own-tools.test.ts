import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { testOffshoot } from '../../test/support/test-offshoot.ts'
import type { Json } from '../core/json.ts'
import { createMemoryStore } from '../store/memory.ts'
import { scriptedModel } from '../testing.ts'
import { agent } from './agent.ts'
import { createOffshoot } from './offshoot.ts'
import { tool } from './tool.ts'

const env = { HOME: '/nonexistent' }
const call = { toolCalls: [{ tool: 'who', input: {} }] }
const end = { text: 'end' }
const cut = { text: 'half', finishReason: 'length' as const }

/** A tool that keeps what context its calls had. */
function who() {
  const seen: (Json | undefined)[] = []
  const own = tool({
    name: 'who',
    description: 'says who',
    inputSchema: z.object({}),
    effects: 'none',
    execute: (_, { context }) => {
      seen.push(structuredClone(context))
      if (typeof context === 'object' && context) Object.assign(context, { changed: true })
      return 'done'
    },
  })
  return { own, seen }
}

const helper = agent({ name: 'helper', description: 'helps', prompt: 'You help.' })
const user = { user: 'ada', roles: ['admin'] }

const circle: { self?: object } = {}
circle.self = circle
const fail = () => {
  throw new Error('no')
}

describe('the context of a chat', () => {
  it('reaches its tools, those of subagents too, and each call has a copy', async () => {
    const task = { tool: 'task', input: { subagent_type: 'helper', description: 'help', prompt: 'help' } }
    const script = { main: [call, { toolCalls: [task] }, end], helper: [call, end, call, end] }
    const { own, seen } = who()
    await using t = await testOffshoot({ script, tools: [own], agents: [helper] })
    const chat = await t.offshoot.chat({ context: user })
    await t.clock.until((await chat.send('go')).result())
    await t.clock.until((await chat.spawn('help', { agent: 'helper' })).result())
    expect(seen).toEqual([user, user, user])
  })

  it('is that of the last run where a chat is opened without one', async () => {
    const { own, seen } = who()
    await using t = await testOffshoot({ script: { main: [call, end, call, end, call, end] }, tools: [own] })
    const chat = await t.offshoot.chat({ context: user })
    const run = await chat.send('go')
    await t.clock.until(run.result())
    const { conversationId } = run
    await t.clock.until((await (await t.offshoot.chat({ conversationId })).send('go')).result())
    const other = await t.offshoot.chat({ conversationId, context: 'bob' })
    await t.clock.until((await other.send('go')).result())
    expect(seen).toEqual([user, user, 'bob'])
  })

  it('is absent where nobody gave one', async () => {
    const { own, seen } = who()
    await using t = await testOffshoot({ script: { main: [call, end] }, tools: [own] })
    await t.clock.until((await (await t.offshoot.chat()).send('go')).result())
    expect(seen).toEqual([undefined])
  })

  it.each<[string, unknown]>([
    ['a function', () => 1],
    ['a date', new Date(0)],
    ['a bigint in it', { id: 1n }],
    ['more than is kept', 'x'.repeat(70_000)],
    ['a value in a circle', circle],
    ['nested without end', JSON.parse('['.repeat(9_000) + ']'.repeat(9_000))],
    ['one of which a field throws', Object.defineProperty({}, 'a', { enumerable: true, get: () => fail() })],
  ])('cannot be %s', async (_, context) => {
    await using t = await testOffshoot()
    await expect(t.offshoot.chat({ context: context as never })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/^chat: context: expected/) as string,
    })
  })
})

describe('a paused run with tools of its program', () => {
  it('goes on, with its context, once another Offshoot has them', async () => {
    const store = createMemoryStore()
    const first = await createOffshoot({ store, env, model: scriptedModel({ agents: { main: [cut] } }) })
    const chat = await first.chat({ tools: [who().own], context: user })
    const { conversationId, branchId } = await (await chat.send('go')).result()
    await first.close()

    const model = scriptedModel({ agents: { main: [call, end] } })
    await using second = await createOffshoot({ store, env, model })
    const lacking = { code: 'conflict', message: 'Tool "who" is not registered in this process' }
    await expect(second.continue(branchId)).rejects.toMatchObject(lacking)
    await expect((await second.chat({ conversationId })).send('go on')).rejects.toMatchObject(lacking)
    expect(model.requests).toEqual([])

    const { own, seen } = who()
    await second.chat({ conversationId, tools: [own] })
    expect(await (await second.continue(branchId)).result()).toMatchObject({ status: 'completed' })
    expect(seen).toEqual([user])
  })
})
