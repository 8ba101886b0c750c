import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { conversationProblems } from '../../test/support/conversation-problems.ts'
import { createMemoryStore } from '../store/memory.ts'
import type { Store } from '../store/port.ts'
import { scriptedModel } from '../testing.ts'
import { agent } from './agent.ts'
import { createOffshoot, type Offshoot, type OffshootOptions } from './offshoot.ts'
import { tool } from './tool.ts'

const env = { HOME: '/nonexistent' }
const wait = { approvals: 'wait', env } as const
const pay = { toolCalls: [{ tool: 'pay', input: {} }] }
const end = { text: 'end' }

/** A tool that asks before each call. */
function payTool() {
  const paid: string[] = []
  const own = tool({
    name: 'pay',
    description: 'pays',
    inputSchema: z.object({}),
    execute: async () => {
      paid.push('paid')
      return 'paid'
    },
  })
  return { own, paid }
}

type Answers = Parameters<typeof scriptedModel>[0]['agents']

function open(store: Store, agents: Answers, options: OffshootOptions = {}): Promise<Offshoot> {
  return createOffshoot({ ...wait, store, model: scriptedModel({ agents }), ...options })
}

/** The first approval that is open, once there is one. */
async function firstAsked(offshoot: Offshoot) {
  await expect.poll(async () => (await offshoot.approvals.list()).length).toBeGreaterThan(0)
  return (await offshoot.approvals.list())[0]!
}

describe('an approval that waits when a program closes', () => {
  it('is open in the next program, which asks it again under the same id', async () => {
    const store = createMemoryStore()
    const first = await open(store, { main: [pay] }, { tools: [payTool().own] })
    const run = await (await first.chat()).send('go')
    const asked = await firstAsked(first)
    await first.close()
    expect(await run.result()).toMatchObject({ status: 'waiting', reason: 'approval' })
    expect(store.find('leases', {})).toMatchObject([{ renewedAt: 0 }])

    const { own, paid } = payTool()
    await using second = await open(store, { main: [end] }, { tools: [own] })
    expect(await second.approvals.list()).toEqual([asked])
    const [recovered] = await second.recover()
    expect(await firstAsked(second)).toEqual(asked)
    expect(paid).toEqual([])
    await second.approvals.answer(asked.id, 'once')
    expect(await recovered!.result()).toMatchObject({ status: 'completed', text: 'end' })
    expect(paid).toEqual(['paid'])
    expect(conversationProblems(store, run.conversationId)).toEqual([])
  })

  it('can be answered before the next program goes on', async () => {
    const store = createMemoryStore()
    const first = await open(store, { main: [pay] }, { tools: [payTool().own] })
    const run = await (await first.chat()).send('go')
    const { id } = await firstAsked(first)
    await first.close()

    const { own, paid } = payTool()
    await using second = await open(store, { main: [end] }, { tools: [own] })
    await second.approvals.answer(id, 'once')
    const [recovered] = await second.recover()
    expect(await recovered!.result()).toMatchObject({ status: 'completed' })
    expect(paid).toEqual(['paid'])
    expect(store.find('approvals', {})).toMatchObject([{ id, answer: 'once', runId: run.id }])
  })
})

const task = (name: string, prompt: string) => ({
  tool: 'task',
  input: { subagent_type: name, description: prompt, prompt },
})
const payer = agent({ name: 'payer', description: 'pays', prompt: 'You pay.' })
const worker = agent({ name: 'worker', description: 'works', prompt: 'You work.' })

describe('a subagent that asks when a program closes', () => {
  it('keeps its question and the call of its parent; a sibling resumes with them', async () => {
    const store = createMemoryStore()
    const agents = [payer, worker]
    const both = { toolCalls: [task('payer', 'pay'), task('worker', 'work')] }
    const late = { text: 'late', delayMs: 600_000 }
    const answers = { main: [both], payer: [pay], worker: [late] }
    const first = await open(store, answers, { tools: [payTool().own], agents })
    const run = await (await first.chat()).send('go')
    const asked = await firstAsked(first)
    await expect.poll(() => store.count('runs', { agent: 'worker', status: 'running' })).toBe(1)
    await first.close()
    const statuses = () =>
      Object.fromEntries(store.find('runs', {}).map(({ agent, status }) => [agent, status]))
    expect(statuses()).toEqual({ main: 'waiting', payer: 'waiting', worker: 'paused' })

    const { own, paid } = payTool()
    const rest = { main: [end], payer: [{ text: 'is paid' }], worker: [{ text: 'is done' }] }
    await using second = await open(store, rest, { tools: [own], agents })
    const recovered = await second.recover()
    expect(recovered.map(({ agent }) => agent).toSorted()).toEqual(['main', 'payer', 'worker'])
    expect(await firstAsked(second)).toEqual(asked)
    await second.approvals.answer(asked.id, 'once')
    const main = recovered.find(({ agent }) => agent === 'main')!
    expect(await main.result()).toMatchObject({ status: 'completed', text: 'end' })
    expect(statuses()).toEqual({ main: 'completed', payer: 'completed', worker: 'completed' })
    expect(paid).toEqual(['paid'])
    expect(conversationProblems(store, run.conversationId)).toEqual([])
  })

  it('in the background is asked again too', async () => {
    const store = createMemoryStore()
    const { input } = task('payer', 'pay')
    const start = { toolCalls: [{ tool: 'task', input: { ...input, run_in_background: true } }] }
    const answers = { main: [start, { text: 'started' }], payer: [pay] }
    const first = await open(store, answers, { tools: [payTool().own], agents: [payer] })
    const run = await (await first.chat()).send('go')
    const asked = await firstAsked(first)
    await expect.poll(() => store.get('runs', run.id)?.status).toBe('completed')
    await first.close()

    const { own, paid } = payTool()
    const rest = { main: [{ text: 'read it' }], payer: [{ text: 'is paid' }] }
    await using second = await open(store, rest, { tools: [own], agents: [payer] })
    await second.recover()
    await second.approvals.answer(asked.id, 'once')
    await expect.poll(() => store.count('runs', { agent: 'main', status: 'completed' })).toBe(2)
    expect(paid).toEqual(['paid'])
  })
})

it('a question in words that waits when a program closes is asked again', async () => {
  const store = createMemoryStore()
  const ask = { toolCalls: [{ tool: 'ask_user', input: { question: 'Which?' } }] }
  const first = await open(store, { main: [ask] })
  const run = await (await first.chat()).send('go')
  await expect.poll(async () => (await first.questions.list()).length).toBe(1)
  const [asked] = await first.questions.list()
  await first.close()
  expect(await run.result()).toMatchObject({ status: 'waiting', reason: 'question' })

  await using second = await open(store, { main: [{ match: '^the red one$', text: 'red it is' }] })
  expect(await second.questions.list()).toEqual([asked])
  const [recovered] = await second.recover()
  await second.questions.answer(asked!.id, 'the red one')
  expect(await recovered!.result()).toMatchObject({ status: 'completed', text: 'red it is' })
})

describe('calls beside one that asks', () => {
  it('run once it is answered, and what has run does not run again', async () => {
    const store = createMemoryStore()
    const noted: string[] = []
    const note = tool({
      name: 'note',
      description: 'notes',
      inputSchema: z.object({ text: z.string() }),
      effects: 'none',
      execute: async ({ text }) => (noted.push(text), text),
    })
    const noteCall = (text: string) => ({ tool: 'note', input: { text } })
    const calls = { toolCalls: [noteCall('before'), ...pay.toolCalls, noteCall('after')] }
    const first = await open(store, { main: [calls] }, { tools: [payTool().own, note] })
    await (await first.chat()).send('go')
    const asked = await firstAsked(first)
    await first.close()

    const { own, paid } = payTool()
    await using second = await open(store, { main: [end] }, { tools: [own, note] })
    const [recovered] = await second.recover()
    await second.approvals.answer(asked.id, 'once')
    expect(await recovered!.result()).toMatchObject({ status: 'completed' })
    expect([noted, paid]).toEqual([['before', 'after'], ['paid']])
    expect(store.find('tool_calls', {}).map(({ status }) => status)).toEqual(Array(3).fill('completed'))
  })
})

describe('a program that lacks the tool of a run that asks', () => {
  it('pauses it, and a later one that has the tool is asked', async () => {
    const store = createMemoryStore()
    const first = await open(store, { main: [pay] })
    const chat = await first.chat({ tools: [payTool().own] })
    const { conversationId, branchId } = await chat.send('go')
    const asked = await firstAsked(first)
    await first.close()

    const second = await open(store, {})
    const [left] = await second.recover()
    expect(await left!.result()).toMatchObject({
      status: 'paused',
      reason: 'restart',
      note: expect.stringContaining('Tool "pay" is not registered in this process') as string,
    })
    await second.close()
    expect(store.find('approvals', {})).toEqual([asked])

    const { own, paid } = payTool()
    await using third = await open(store, { main: [end] })
    await third.chat({ conversationId, tools: [own] })
    const run = await third.continue(branchId)
    expect(await firstAsked(third)).toEqual(asked)
    await third.approvals.answer(asked.id, 'once')
    expect(await run.result()).toMatchObject({ status: 'completed', text: 'end' })
    expect(paid).toEqual(['paid'])
  })
})
