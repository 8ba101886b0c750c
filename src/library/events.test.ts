import { describe, expect, it, test } from 'vitest'
import type { OffshootEvent } from '../core/events.ts'
import { testOffshoot } from '../../test/support/test-offshoot.ts'
import type { TestOffshoot, TestOptions } from '../testing.ts'
import { tool } from './tool.ts'
import { z } from 'zod'

const danger = tool({
  name: 'danger',
  description: 'does something',
  inputSchema: z.object({}),
  execute: () => 'done',
})
const call = { toolCalls: [{ tool: 'danger', input: {} }] }
const end = { text: 'end' }
const asks: TestOptions = { tools: [danger], script: { main: [call, end] } }
const says = (text: string, more = {}): TestOptions => ({ script: { main: [{ text, ...more }] } })

const alnum = 'A1b2C3d4'.repeat(6)
const SECRETS: readonly (readonly [string, string])[] = [
  [`sk-ant-api03-${alnum}`, alnum],
  [`ghp_${alnum}`, alnum],
  ['password=hunter2secret', 'hunter2secret'],
  [`-----BEGIN PRIVATE KEY-----\n${alnum}\n${alnum}\n-----END PRIVATE KEY-----`, alnum],
]

async function begin(options: TestOptions) {
  const t = await testOffshoot(options)
  const run = await (await t.offshoot.chat()).send('go')
  return { t, run, end: () => t.clock.until(run.result()), [Symbol.asyncDispose]: t[Symbol.asyncDispose] }
}

/** Reads in the background. */
function read(t: TestOffshoot, events: AsyncIterable<OffshootEvent>): Promise<OffshootEvent[]> {
  return t.clock.until(Array.fromAsync(events))
}

const durable = (events: readonly OffshootEvent[]) => events.filter(({ sub }) => sub === undefined)

describe('the stream of a run', () => {
  it('holds every stored event once, in order, and the live ones between them', async () => {
    await using b = await begin(says('hello '.repeat(50), { chunks: 50 }))
    const seen = await read(b.t, b.run.events())
    expect(durable(seen).map(({ seq }) => seq)).toEqual(durable(seen).map((_, i) => i + 1))
    const text = seen.map((event) => (event.type === 'part.delta' ? event.text : '')).join('')
    expect(text).toBe('hello '.repeat(50))
    expect(seen.at(-1)).toMatchObject({ type: 'run.completed', report: text })
  })

  it.each(SECRETS)('holds no secret, live or stored: %s', async (secret, hidden) => {
    const reads = tool({
      name: 'reads',
      description: 'reads',
      inputSchema: z.object({ of: z.string() }),
      execute: ({ of }) => of,
    })
    const step = {
      text: `so ${secret} it is`,
      chunks: 9,
      toolCalls: [{ tool: 'reads', input: { of: secret } }],
    }
    const allowed = { permissions: [{ tool: 'reads', pattern: '*', action: 'allow' as const }] }
    await using b = await begin({
      tools: [reads],
      config: allowed,
      script: { main: [step, { text: `end ${secret}` }] },
    })
    for (const seen of [await read(b.t, b.run.events()), await read(b.t, b.run.events())]) {
      expect(JSON.stringify(seen)).not.toContain(hidden)
      const text = seen.map((event) => (event.type === 'part.delta' ? event.text : '')).join('')
      expect(text).not.toContain(hidden)
      expect(seen.at(-1)).toMatchObject({ type: 'run.completed', report: expect.stringContaining('•') })
    }
    const result = await b.end()
    expect(result.text).toBe(`end ${secret}`)
  })

  it('holds live events also where the run had ended before the first reader came, and for that reader alone', async () => {
    await using b = await begin(says('hello '.repeat(50), { chunks: 50 }))
    await b.end()
    const text = (seen: readonly OffshootEvent[]) =>
      seen.map((event) => (event.type === 'part.delta' ? event.text : '')).join('')
    const first = await read(b.t, b.run.events())
    expect(text(first)).toBe('hello '.repeat(50))
    const delta = first.findIndex(({ type }) => type === 'part.delta')
    expect(first.slice(delta).map(({ type }) => type)).toEqual(
      expect.arrayContaining(['message.completed', 'run.completed']),
    )
    expect(durable(first).map(({ seq }) => seq)).toEqual(durable(first).map((_, i) => i + 1))
    expect(await read(b.t, b.run.events())).toEqual(durable(first))
  })

  it('can be asked for after the end, again and again, and from any seq', async () => {
    await using b = await begin(says('done'))
    const live = await read(b.t, b.run.events())
    const replayed = await read(b.t, b.run.events())
    expect(replayed).toEqual(durable(live))
    expect(await read(b.t, b.run.events({ after: 5 }))).toEqual(replayed.slice(5))
    expect(await read(b.t, b.run.events({ after: 10_000 }))).toEqual([])
    const byId = await b.t.offshoot.runs.get(b.run.id)
    expect(await read(b.t, byId.events())).toEqual(replayed)
  })

  it('goes on after a break from the last seq, and loses nothing', async () => {
    await using b = await begin({
      script: {
        main: [
          { toolCalls: [{ tool: 'todo', input: {} }], delayMs: 1_000 },
          { text: 'x', delayMs: 1_000 },
        ],
      },
    })
    const first: OffshootEvent[] = []
    const reading = (async () => {
      for await (const event of b.run.events()) if (first.push(event) === 4) break
    })()
    await b.t.clock.until(reading)
    const rest = await read(b.t, b.run.events({ after: first.at(-1)!.seq }))
    const seqs = [...durable(first), ...durable(rest)].map(({ seq }) => seq)
    expect(seqs).toEqual(seqs.map((_, i) => i + 1))
    expect(rest.at(-1)).toMatchObject({ type: 'run.completed' })
  })

  it('waits for nobody: a reader that never reads, or reads late, gets what is stored', async () => {
    await using b = await begin(says('x'.repeat(20_000), { chunks: 20_000 }))
    const never = b.run.events()
    const late = b.run.events()
    const first = await b.t.clock.until(late.next())
    await b.end()
    const seen = [first.value!, ...(await read(b.t, late))]
    expect(durable(seen).map(({ seq }) => seq)).toEqual(durable(seen).map((_, i) => i + 1))
    expect(seen.at(-1)).toMatchObject({ type: 'run.completed' })
    await never.return!()
  })

  it('a loop that is left lets go at once, also while it waits for an event', async () => {
    await using b = await begin(says('late', { delayMs: 60_000 }))
    const events = b.run.events()
    for (let i = 0; i < 9; i++) await events.next()
    const waiting = events.next()
    expect(await events.return!()).toEqual({ done: true, value: undefined })
    expect(await waiting).toEqual({ done: true, value: undefined })
    expect(await events.next()).toEqual({ done: true, value: undefined })
    expect(await b.end()).toMatchObject({ status: 'completed' })
  })

  it('several calls of next at a time get one event each', async () => {
    await using b = await begin(says('done'))
    const events = b.run.events()
    const some = await b.t.clock.until(Promise.all([events.next(), events.next(), events.next()]))
    expect(some.map(({ value }) => value!.seq)).toEqual([1, 2, 3])
  })

  it('two runs of a conversation at the same time keep to themselves', async () => {
    await using t = await testOffshoot({ script: { '*': [{ text: 'a' }, { text: 'b' }] } })
    const chat = await t.offshoot.chat()
    const alone = { agent: { name: 'alone', description: 'works alone', prompt: 'Work.', tools: [] } }
    const runs = [await chat.spawn('one', alone), await chat.spawn('two', alone)]
    const streams = await Promise.all(runs.map((run) => read(t, run.events())))
    streams.forEach((events, i) => {
      expect(new Set(events.flatMap(({ runId }) => runId ?? []))).toEqual(new Set([runs[i]!.id]))
    })
  })
})

describe('approvals', () => {
  it('unattended, a call that asks is denied at once, and so with a stream that does not answer', async () => {
    await using b = await begin(asks)
    const seen = await read(b.t, b.run.events())
    expect(seen.map(({ type }) => type)).toContain('tool.denied')
    expect((await b.run.result()).denials).toMatchObject([{ tool: 'danger', agent: 'main' }])
  })

  it('a stream that answers attends its conversation, and no other, for as long as it is read', async () => {
    await using t = await testOffshoot({
      ...asks,
      script: { main: [call, call, end, end] },
    })
    const here = await (await t.offshoot.chat()).send('here')
    const events = here.events({ answers: true })
    await events.next()
    const elsewhere = await (await t.offshoot.chat()).send('elsewhere')
    expect((await t.clock.until(elsewhere.result())).denials).toHaveLength(1)
    const [open] = await t.offshoot.approvals.list()
    expect(open).toMatchObject({ runId: here.id, tool: 'danger', path: ['main'] })
    await events.return!()
    // it was asked while somebody attended: it stays open
    expect(await t.offshoot.approvals.list(here.conversationId)).toHaveLength(1)
    await t.clock.until(t.offshoot.approvals.answer(open!.id, 'once', { by: 'Ann' }))
    expect(await t.clock.until(here.result())).toMatchObject({ status: 'completed', denials: [] })
    await expect(t.offshoot.approvals.answer(open!.id, 'deny')).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('once, by Ann') as string,
    })
  })

  it('whoever answers sees the questions of the whole conversation', async () => {
    const script = { waits: [{ text: 'a', delayMs: 60_000 }], asks: [call, end] }
    await using t = await testOffshoot({ tools: [danger], script })
    const chat = await t.offshoot.chat()
    const one = (name: string, tools: string[]) => ({
      agent: { name, description: name, prompt: name, tools },
    })
    const waits = await chat.spawn('go', one('waits', []))
    const seen: (string | null)[] = []
    const reading = (async () => {
      for await (const event of waits.events({ answers: true })) {
        if (event.type !== 'approval.requested') continue
        seen.push(event.runId)
        await t.offshoot.approvals.answer(event.approvalId, 'once')
      }
    })()
    const asks = await chat.spawn('go', one('asks', ['danger']))
    expect(await t.clock.until(asks.result())).toMatchObject({ status: 'completed', denials: [] })
    await t.clock.until(reading)
    expect(seen).toEqual([asks.id])
  })

  it('attendance ends with the run, whoever still holds the stream', async () => {
    await using t = await testOffshoot({
      ...asks,
      script: { main: [{ text: 'nothing to ask' }, call, end] },
    })
    const chat = await t.offshoot.chat()
    const first = await chat.send('one')
    await first.events({ answers: true }).next()
    await t.clock.until(first.result())
    const second = await chat.send('two')
    expect((await t.clock.until(second.result())).denials).toHaveLength(1)
  })

  it.each(['once', 'deny'] as const)('an answer in code: %s', async (answer) => {
    await using b = await begin(asks)
    const reading = (async () => {
      for await (const event of b.run.events({ answers: true }))
        if (event.type === 'approval.requested') await b.t.offshoot.approvals.answer(event.approvalId, answer)
    })()
    await b.t.clock.until(reading)
    const { denials, text } = await b.run.result()
    expect([denials, text]).toEqual([[], 'end'])
    const calls = b.t.store.find('tool_calls', {})
    expect(calls).toMatchObject([{ status: answer === 'once' ? 'completed' : 'denied' }])
  })

  it('wrong answers and unknown ids are refused', async () => {
    await using t = await testOffshoot()
    const { approvals } = t.offshoot
    await expect(approvals.answer('apr_x', 'once')).rejects.toMatchObject({ code: 'not_found' })
    await expect(approvals.answer('apr_x', 'yes' as never)).rejects.toMatchObject({ code: 'usage' })
    await expect(approvals.answer(undefined as never, 'once')).rejects.toMatchObject({ code: 'usage' })
  })
})

test('events end with an error when the store fails, and nothing is left unhandled', async () => {
  await using t = await testOffshoot({ script: { main: [{ text: 'late', delayMs: 1_000 }] } })
  const run = await (await t.offshoot.chat()).send('go')
  t.store.tx = () => Promise.reject(new Error('the disk is gone'))
  const events = run.events()
  await expect(t.clock.until(Array.fromAsync(events))).rejects.toThrow('the disk is gone')
  expect(await events.next()).toEqual({ done: true, value: undefined })
  await expect(run.result()).rejects.toThrow('the disk is gone')
})

describe('approvals: wait', () => {
  it('lets a call wait though nobody reads along, and the answer comes from anywhere', async () => {
    await using b = await begin({ ...asks, approvals: 'wait' })
    await expect.poll(async () => await b.t.offshoot.approvals.list()).toHaveLength(1)
    await b.t.clock.advance(60_000)
    const [asked] = await b.t.offshoot.approvals.list()
    expect(await b.t.offshoot.runs.get(b.run.id)).toMatchObject({ status: 'waiting' })
    await b.t.offshoot.approvals.answer(asked!.id, 'once')
    expect(await b.end()).toMatchObject({ status: 'completed', text: 'end', denials: [] })
  })

  it('lets a question of an agent wait too', async () => {
    const ask = { toolCalls: [{ tool: 'ask_user', input: { question: 'which?' } }] }
    await using b = await begin({ script: { main: [ask, end] }, approvals: 'wait' })
    await expect.poll(async () => await b.t.offshoot.questions.list()).toHaveLength(1)
    const [asked] = await b.t.offshoot.questions.list()
    await b.t.offshoot.questions.answer(asked!.id, 'this one')
    expect(await b.end()).toMatchObject({ status: 'completed' })
  })

  it('is denied at once without it', async () => {
    await using b = await begin(asks)
    expect(await b.end()).toMatchObject({ denials: [{ tool: 'danger', reason: 'unattended' }] })
  })

  it('is one of two words', async () => {
    await expect(testOffshoot({ approvals: 'later' as never })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('approvals') as string,
    })
  })
})
