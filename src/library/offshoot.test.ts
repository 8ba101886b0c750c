import { ignoreLateRejection } from '../core/rejections.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, test } from 'vitest'
import { loseLog } from '../../test/support/lost-log.ts'
import { testOffshoot } from '../../test/support/test-offshoot.ts'
import { z } from 'zod'
import type { OwnModel } from '../model/custom-models.ts'
import { createMemoryStore } from '../store/memory.ts'
import { createTestOffshoot, scriptedModel } from '../testing.ts'
import { agent } from './agent.ts'
import { createOffshoot, type OffshootOptions } from './offshoot.ts'
import { tool } from './tool.ts'

type CallOptions = Parameters<OwnModel['doStream']>[0]

const home = mkdtempSync(join(tmpdir(), 'offshoot-library-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const critic = agent({ name: 'critic', description: 'criticises', prompt: 'You criticise.', tools: [] })
const task = (prompt: string, more = {}) => ({
  tool: 'task',
  input: { subagent_type: 'critic', description: 'a critic', prompt, ...more },
})

test('ten lines: a message, its events, its result with the totals of the tree', async () => {
  const script = { main: [{ toolCalls: [task('look')] }, { text: 'done' }], critic: [{ text: 'bad' }] }
  await using t = await createTestOffshoot({ script })
  const chat = await t.offshoot.chat({ agents: [critic] })
  expect(chat.conversationId).toBeNull()
  const run = await chat.send('Compare the two parsers')
  const seen: string[] = []
  const reading = (async () => {
    for await (const event of run.events())
      if (event.type.startsWith('run.')) seen.push(`${event.depth} ${event.type}`)
  })()
  const result = await t.clock.until(run.result())
  await t.clock.until(reading)
  expect(result).toMatchObject({
    status: 'completed',
    endReason: 'done',
    text: 'done',
    turns: 2,
    toolCalls: 1,
  })
  expect(result).toMatchObject({ branchId: run.branchId, costUsd: 0, subagents: [{ agent: 'critic' }] })
  expect(result.usage.output).toBeGreaterThan(result.subagents[0]!.usage.output)
  const inner = ['stopNo', 'partialFrom', 'unreported']
  expect(Object.keys(result.subagents[0]!).filter((key) => inner.includes(key))).toEqual([])
  expect(seen.filter((each) => !/progress|waiting|resumed/.test(each))).toEqual([
    '0 run.started',
    '1 run.started',
    '1 run.completed',
    '0 run.completed',
  ])
  expect(chat.conversationId).toBe(run.conversationId)
  expect(await run.result()).toBe(await run.result())
})

test('a child is a run as any other: found by id, with events and a result of its own', async () => {
  const script = { main: [{ toolCalls: [task('look')] }, { text: 'done' }], critic: [{ text: 'bad' }] }
  await using t = await testOffshoot({ script, agents: [critic] })
  const { offshoot, clock } = t
  const run = await (await offshoot.chat()).send('go')
  await clock.until(run.result())
  const [listed] = (await offshoot.runs.list({ all: true })).filter(({ depth }) => depth === 1)
  expect(listed).toMatchObject({ agent: 'critic', status: 'completed', inBackground: false })
  const child = await offshoot.runs.get(listed!.id)
  expect(await child.result()).toMatchObject({ text: 'bad', runId: child.id, turns: 1, subagents: [] })
  const branches = new Set<string | null>()
  for await (const { branchId } of child.events()) branches.add(branchId)
  expect([...branches]).toEqual([null, child.branchId])
  expect(await offshoot.branches.get(child.branchId)).toMatchObject({ kind: 'subagent', agent: 'critic' })
  const said = await offshoot.branches.messages(child.branchId)
  expect(said.map(({ role }) => role)).toEqual(['system', 'user', 'assistant'])
  const conversation = await offshoot.conversations.get(run.conversationId)
  expect(conversation.branches.map(({ kind }) => kind)).toEqual(['main', 'subagent'])
  expect(await offshoot.conversations.list()).toHaveLength(1)
  expect(await offshoot.conversations.export(run.conversationId)).toMatchObject({ id: run.conversationId })
  expect(await offshoot.runs.list()).toEqual([])
})

test('each message has its own result, also by id', async () => {
  await using t = await testOffshoot({ script: { main: [{ text: 'one' }, { text: 'two' }] } })
  const chat = await t.offshoot.chat()
  const first = await chat.send('a')
  await t.clock.until(first.result())
  const second = await chat.send('b')
  expect((await t.clock.until(second.result())).text).toBe('two')
  expect((await first.result()).text).toBe('one')
  expect((await (await t.offshoot.runs.get(first.id)).result()).text).toBe('one')
  const again = await t.offshoot.chat({ conversationId: chat.conversationId! })
  expect(again.conversationId).toBe(chat.conversationId)
})

test('what followed by itself, because a report came, belongs to the result', async () => {
  const script = {
    main: [
      { toolCalls: [task('look', { run_in_background: true })] },
      { text: 'started' },
      { text: 'it is bad' },
    ],
    critic: [{ text: 'bad', delayMs: 5_000 }],
  }
  await using t = await testOffshoot({ script, agents: [critic] })
  const run = await (await t.offshoot.chat()).send('go')
  const types: string[] = []
  const reading = (async () => {
    for await (const event of run.events()) types.push(`${event.depth} ${event.type}`)
  })()
  expect((await t.clock.until(run.result())).text).toBe('it is bad')
  await t.clock.until(reading)
  expect(types.filter((each) => each === '0 run.completed')).toHaveLength(2)
})

test('a message that comes before the report is another matter: what follows is its own', async () => {
  const script = {
    main: [
      { toolCalls: [task('look', { run_in_background: true })] },
      { text: 'started' },
      { text: 'two' },
      { text: 'it is bad' },
    ],
    critic: [{ text: 'bad', delayMs: 5_000 }],
  }
  await using t = await testOffshoot({ script, agents: [critic], directory: home })
  const chat = await t.offshoot.chat()
  const first = await chat.send('one')
  await t.clock.advance(1_000)
  const second = await chat.send('two')
  const streams = [first, second].map((run) => Array.fromAsync(run.events()))
  const results = await t.clock.until(Promise.all([first.result(), second.result()]))
  expect(results.map(({ text }) => text)).toEqual(['started', 'it is bad'])
  const ends = (await t.clock.until(Promise.all(streams))).map((events) =>
    events.flatMap((event) => (event.type === 'run.completed' ? [event.report] : [])),
  )
  expect(ends).toEqual([
    ['started', 'bad'],
    ['two', 'it is bad'],
  ])
})

test('subagents that a program starts at the same time share the conversation of their chat', async () => {
  const script = { critic: [{ text: 'bad' }], explore: [{ text: 'found' }] }
  await using t = await testOffshoot({ script })
  const chat = await t.offshoot.chat()
  const runs = await Promise.all([
    chat.spawn('criticise it', { agent: critic, label: 'the critic' }),
    chat.spawn('find it', { agent: 'explore' }),
  ])
  expect(new Set(runs.map(({ conversationId }) => conversationId)).size).toBe(1)
  const results = await t.clock.until(Promise.all(runs.map((run) => run.result())))
  expect(results.map(({ text }) => text)).toEqual(['bad', 'found'])
  expect(runs.map(({ depth }) => depth)).toEqual([1, 1])
})

describe('verbs', () => {
  const slow = { main: [{ text: 'late', delayMs: 60_000 }, { text: 'after that' }] }

  it('steer, interrupt, continue, fork and cancel reach a run by its handle and by every id', async () => {
    await using t = await testOffshoot({ script: { main: [...slow.main, { text: 'another way' }] } })
    const { offshoot, clock } = t
    const chat = await offshoot.chat()
    const run = await chat.send('go')
    expect(await run.steer('be short')).toMatchObject({ runId: run.id })
    expect(await clock.until(run.interrupt())).toMatchObject({ status: 'paused', reason: 'user' })
    expect(await run.result()).toMatchObject({ status: 'paused', endReason: 'user' })
    await expect(offshoot.steer(run.branchId, 'more')).rejects.toMatchObject({ code: 'conflict' })
    const next = await offshoot.continue(run.conversationId, 'go on')
    expect(next.id).toBe(run.id)
    expect(await clock.until(next.result())).toMatchObject({ status: 'completed', text: 'after that' })
    const fork = await next.fork('and otherwise?', { maxTurns: 2 })
    expect((await t.offshoot.runs.get(fork.id))?.maxTurns).toBe(2)
    expect(fork.branchId).not.toBe(run.branchId)
    expect((await clock.until(fork.result())).text).toBe('another way')
    expect(await offshoot.cancel(fork.id)).toMatchObject({ outcome: 'already_finished' })
    expect(await offshoot.cancel('run_nothing')).toMatchObject({ outcome: 'not_found' })
  })

  it('cancel ends a run and pause stops it at a boundary', async () => {
    await using t = await testOffshoot({ script: slow })
    const run = await (await t.offshoot.chat()).send('go')
    expect(await t.clock.until(run.cancel())).toMatchObject({ outcome: 'cancelled', runs: 1 })
    expect(await run.result()).toMatchObject({ status: 'cancelled' })
    await expect(run.pause()).rejects.toMatchObject({ code: 'conflict' })
    await expect(run.background()).rejects.toMatchObject({ code: 'conflict' })
  })

  it('a conversation is closed and deleted with its runs', async () => {
    await using t = await testOffshoot({ script: slow })
    const run = await (await t.offshoot.chat()).send('go')
    expect(await t.clock.until(t.offshoot.conversations.close(run.conversationId))).toEqual({ runs: 1 })
    await t.clock.until(t.offshoot.conversations.delete(run.conversationId))
    expect(await t.offshoot.conversations.list()).toEqual([])
    await expect(t.offshoot.runs.get(run.id)).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('without a model', () => {
  const nowhere = { HOME: home, OLLAMA_HOST: '127.0.0.1:1' }
  const open = (more: OffshootOptions) =>
    createOffshoot({ directory: home, env: nowhere, store: ':memory:', ...more })

  it('fails with what to set instead of answering with the offline searcher', async () => {
    await expect(open({})).rejects.toMatchObject({
      code: 'key',
      message: 'No model: no provider key is set, and no local Ollama answers.',
      hint: expect.stringMatching(/ANTHROPIC_API_KEY.*model: 'provider\/model'.*model: 'offline'/) as string,
    })
  })

  it.each([
    ['an option', { model: 'offline' }],
    ['the configuration', { config: { model: 'offline' } }],
    ['the environment', { env: { ...nowhere, OFFSHOOT_MODEL: 'offline' } }],
  ])('may be offline where %s asks for it', async (_, options) => {
    await using offshoot = await open(options)
    expect(offshoot.model).toBe('offline')
  })
})

describe('close', () => {
  it('pauses what runs, gives the lease back, and is the same for whoever calls it twice', async () => {
    const store = createMemoryStore()
    const offshoot = await createOffshoot({
      model: scriptedModel({ agents: { main: [{ text: 'late', delayMs: 600_000 }] } }),
      env: { HOME: home },
      store,
    })
    const run = await (await offshoot.chat()).send('go')
    const events = run.events()
    await events.next()
    await Promise.all([offshoot.close(), offshoot.close()])
    expect(await run.result()).toMatchObject({ status: 'paused', reason: 'restart' })
    const rest = await Array.fromAsync(events)
    expect(rest.at(-1)).toMatchObject({ type: 'run.paused' })
    expect(store.find('leases', {})).toMatchObject([{ renewedAt: 0 }])
    expect(store.get('runs', run.id)).toMatchObject({ status: 'paused' }) // the store is the program's own
    await store.close()
  })

  it('refuses everything afterwards', async () => {
    const t = await testOffshoot({ script: { main: [{ text: 'done' }] } })
    const { offshoot } = t
    const chat = await offshoot.chat()
    const run = await chat.send('go')
    await t.clock.until(run.result())
    await t[Symbol.asyncDispose]()
    const closed = { code: 'closed' }
    await expect(chat.send('more')).rejects.toMatchObject(closed)
    await expect(chat.spawn('more')).rejects.toMatchObject(closed)
    await expect(offshoot.chat()).rejects.toMatchObject(closed)
    await expect(offshoot.runs.list()).rejects.toMatchObject(closed)
    await expect(offshoot.runs.get(run.id)).rejects.toMatchObject(closed)
    await expect(offshoot.conversations.list()).rejects.toMatchObject(closed)
    await expect(offshoot.approvals.list()).rejects.toMatchObject(closed)
    await expect(offshoot.recover()).rejects.toMatchObject(closed)
    await expect(run.continue()).rejects.toMatchObject(closed)
    await expect(run.fork('more')).rejects.toMatchObject(closed)
    expect(() => run.events()).toThrow(expect.objectContaining(closed) as Error)
    expect((await run.result()).text).toBe('done')
  })

  it('while a message is being sent: it is refused, or its run begins and is paused', async () => {
    for (const later of [false, true]) {
      await using t = await testOffshoot({ script: { main: [{ text: 'late', delayMs: 600_000 }] } })
      const sent = (await t.offshoot.chat()).send('go')
      ignoreLateRejection(sent)
      if (later) await Promise.resolve().then(() => {})
      await t.clock.until(t.offshoot.close())
      const runs = later ? [await (await sent).result()] : []
      expect(runs.map(({ status }) => status)).toEqual(later ? ['paused'] : [])
      if (!later) await expect(sent).rejects.toMatchObject({ code: 'closed' })
    }
  })
})

test('models of the program’s own are told apart, and have the price of their id', async () => {
  const one = scriptedModel({ agents: { main: [{ text: 'from one' }] } })
  const two = scriptedModel({ agents: { critic: [{ text: 'from two' }] } })
  await using offshoot = await createOffshoot({ model: one, store: ':memory:', env: { HOME: home } })
  expect(offshoot.model).toBe('scripted/scripted')
  const chat = await offshoot.chat()
  const runs = [await chat.send('go'), await chat.spawn('go', { agent: { ...critic, model: two } })]
  const results = await Promise.all(runs.map((run) => run.result()))
  expect(results.map(({ text, costUsd }) => [text, costUsd])).toEqual([
    ['from one', 0],
    ['from two', 0],
  ])
  const listed = await offshoot.runs.list({ all: true })
  expect(listed.map(({ model }) => model).toSorted()).toEqual(['scripted/scripted', 'scripted/scripted#2'])
})

test('a model of the program’s own has the price that the configuration gives it, and a budget holds for it', async () => {
  const usage = { input: 1_000, output: 1_000 }
  const script = scriptedModel({ agents: { main: [{ text: 'hi', usage }, { text: 'never said' }] } })
  const model = Object.assign(Object.create(script) as typeof script, {
    provider: 'mine.chat',
    modelId: 'one',
  })
  const config = {
    prices: { 'mine/one': { input: 100, output: 900 } },
    limits: { budgetUsd: 30 },
  }
  await using offshoot = await createOffshoot({ model, config, store: ':memory:', env: { HOME: home } })
  const chat = await offshoot.chat()
  const first = await (await chat.send('go')).result()
  expect(first).toMatchObject({ status: 'completed', costUsd: 1 })
  const second = await (await chat.send('go', { budgetUsd: 1 })).result()
  expect(second).toMatchObject({ status: 'paused', endReason: 'budget' })
  expect(second.note).toContain('$1.00 of $1.00 is spent')
})

describe('settings', () => {
  const opened = async () => {
    const script = scriptedModel({
      agents: { main: [{ text: 'one' }, { text: 'two' }], critic: [{ text: 'bad' }] },
    })
    const options: CallOptions[] = []
    const model = Object.assign(Object.create(script) as typeof script, {
      provider: 'mine.chat',
      modelId: 'one',
      doStream: (asked: CallOptions) => {
        options.push(asked)
        return script.doStream(asked)
      },
    })
    return { options, offshoot: await createOffshoot({ model, store: ':memory:', env: { HOME: home } }) }
  }

  it('of a message, a spawn and a continue reach the model, before those of the agent', async () => {
    const { options, offshoot } = await opened()
    await using _ = offshoot
    const chat = await offshoot.chat({ agents: [{ ...critic, topP: 0.5, stopSequences: ['END'] }] })
    const run = await chat.send('go', { settings: { temperature: 0.5, maxOutputTokens: 900 } })
    await run.result()
    await (await run.continue('more', { settings: { temperature: 1 } })).result()
    await (await chat.spawn('look', { agent: 'critic', settings: { topP: 0.1 } })).result()
    expect(options).toMatchObject([
      { temperature: 0.5, maxOutputTokens: 900 },
      { temperature: 1, maxOutputTokens: 900 },
      { topP: 0.1, stopSequences: ['END'] },
    ])
  })

  it('that cannot be, or would have no effect, are refused by their name', async () => {
    const { options, offshoot } = await opened()
    await using _ = offshoot
    const chat = await offshoot.chat()
    const refusals = [
      [{ temperature: 3 }, 'send: settings.temperature: '],
      [{ speed: 1 }, 'send: settings: there is no option "speed"'],
      [{ providerOptions: { openai: { store: true } } }, 'openai.store is not a known option'],
      [{ providerOptions: { openai: { textVerbosity: 'low' } } }, 'not of the provider openai'],
      [{ promptCache: '1h' }, 'promptCache has no effect with mine/one'],
    ] as const
    for (const [settings, message] of refusals)
      await expect(chat.send('go', { settings } as never), message).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringContaining(message),
      })
    expect(options).toEqual([])
    expect(() => agent({ ...critic, model: 'openai/gpt-6-sol', topP: 0.5 })).toThrow('topP has no effect')
  })
})

test('an agent’s output has the type of its schema', async () => {
  const outputSchema = z.object({ risks: z.array(z.string()) })
  const reporter = agent({
    name: 'reporter',
    description: 'reports',
    prompt: 'Report.',
    tools: [],
    outputSchema,
  })
  const script = { reporter: [{ text: '{"risks": ["none"]}' }] }
  await using t = await testOffshoot({ script })
  const run = await (await t.offshoot.chat()).spawn('report', { agent: reporter })
  const { output } = await t.clock.until(run.result())
  const risks: string[] | undefined = output?.risks
  // @ts-expect-error: the schema has no such field
  const wrong: unknown = output?.riscs
  expect([risks, wrong]).toEqual([['none'], undefined])
})

test('the types of a tool follow from its schema', () => {
  const inputSchema = z.object({ city: z.string() })
  const base = { name: 'weather', description: 'the weather', inputSchema }
  expect(tool({ ...base, execute: ({ city }) => city.length }).name).toBe('weather')
  // @ts-expect-error: city is a string
  tool({ ...base, execute: ({ city }) => city.toFixed(1) })
  // @ts-expect-error: the input has another type
  tool({ ...base, execute: (input: { city: number }) => input.city })
  // @ts-expect-error: there is no such field
  tool({ ...base, execute: ({ town }) => town })
  // @ts-expect-error: what is returned is a number
  tool({ ...base, execute: () => 1, toModelOutput: (output: string) => output })
})

test('what is gone of the store since it was used last is among the warnings', async () => {
  const store = join(mkdtempSync(join(home, 'lost-')), 'own.db')
  await loseLog(store)
  const options = { directory: home, env: { OFFSHOOT_HOME: home }, model: 'offline', store }
  const warnings = async () => {
    await using offshoot = await createOffshoot(options)
    return offshoot.warnings.filter((text) => text.includes('the log of the database'))
  }
  expect(await warnings()).toHaveLength(1)
  expect(await warnings()).toEqual([])
})

test('a paused conversation keeps its agent and its model: a chat that names others is refused', async () => {
  const script = { main: [{ text: 'half', finishReason: 'length' as const }, { text: 'end' }] }
  await using t = await testOffshoot({ script, agents: [critic] })
  const run = await (await t.offshoot.chat()).send('go')
  const { conversationId } = await t.clock.until(run.result())
  const sent = async (more: { readonly agent?: string; readonly model?: string }) => {
    const chat = await t.offshoot.chat({ conversationId, ...more })
    return await t.clock.until(chat.send('more'))
  }
  await expect(sent({ agent: 'critic' })).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('keeps its agent main: critic would have no effect'),
    hint: expect.stringContaining('leave out agent, or cancel that run first'),
  })
  await expect(sent({ model: 'offline' })).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringMatching(/keeps its model .*: offline would have no effect$/),
    hint: expect.stringContaining('leave out model, or continue it with the model, or cancel that run first'),
  })
  expect(await t.clock.until((await sent({ agent: 'main' })).result())).toMatchObject({ text: 'end' })
})
