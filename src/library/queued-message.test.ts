import { describe, expect, it } from 'vitest'
import { testOffshoot } from '../../test/support/test-offshoot.ts'
import type { OffshootRun } from './run.ts'

const late = { text: 'one', delayMs: 60_000 }
const done = { text: 'done', delayMs: 60_000 }

const texts = async (runs: readonly OffshootRun[]) =>
  (await Promise.all(runs.map((run) => run.result()))).map(({ text }) => text)

const refusal = (sending: Promise<unknown>) =>
  sending.then(
    () => 'it was sent',
    (error: unknown) => error,
  )

const said = (run: OffshootRun) =>
  Array.fromAsync(run.events()).then((events) =>
    events.flatMap((event) => (event.type === 'run.completed' ? [event.report] : [])),
  )

describe('a message while a run is active', () => {
  it('waits, and a run of its own answers it', async () => {
    await using t = await testOffshoot({ script: { main: [late, { text: 'two' }] } })
    const chat = await t.offshoot.chat()
    const first = await chat.send('a')
    const second = await t.clock.until(chat.send('b'))
    expect(second.id).not.toBe(first.id)
    expect(await t.clock.until(texts([first, second]))).toEqual(['one', 'two'])
    expect(await t.clock.until(Promise.all([first, second].map(said)))).toEqual([['one'], ['two']])
  })

  it('lets those before it have their results while later ones are answered', async () => {
    await using t = await testOffshoot({ script: { main: [late, done, { text: 'three', delayMs: 60_000 }] } })
    const chat = await t.offshoot.chat()
    const first = await chat.send('a')
    const others = [chat.send('b'), chat.send('c')]
    const second = await t.clock.until(others[0]!)
    expect(await t.clock.until(texts([first]))).toEqual(['one'])
    expect(t.model.requests).toHaveLength(2)
    expect(await t.clock.until(texts([second]))).toEqual(['done'])
    expect(await t.clock.until(others[1]!.then((run) => texts([run])))).toEqual(['three'])
  })

  it('has its live events from the start', async () => {
    await using t = await testOffshoot({ script: { main: [late, { text: 'two words', chunks: 2 }] } })
    const chat = await t.offshoot.chat()
    await chat.send('a')
    const run = await t.clock.until(chat.send('b'))
    await t.clock.until(run.result())
    const events = await t.clock.until(Array.fromAsync(run.events()))
    const text = events.map((event) => (event.type === 'part.delta' ? event.text : '')).join('')
    expect(text).toBe('two words')
  })

  it('steers that run where it is asked to', async () => {
    const call = { tool: 'todo', input: { todos: [] } }
    const script = { main: [{ toolCalls: [call], delayMs: 60_000 }, done] }
    await using t = await testOffshoot({ script })
    const chat = await t.offshoot.chat()
    const first = await chat.send('a')
    const same = await t.clock.until(chat.send('b', { mode: 'steer' }))
    expect(same.id).toBe(first.id)
    expect(await t.clock.until(texts([first, same]))).toEqual(['done', 'done'])
  })

  it('steers a run that would have ended', async () => {
    await using t = await testOffshoot({ script: { main: [late, done] } })
    const chat = await t.offshoot.chat()
    const first = await chat.send('a')
    const second = await t.clock.until(chat.send('b', { mode: 'steer' }))
    expect(second.id).toBe(first.id)
    expect(await t.clock.until(texts([first, second]))).toEqual(['done', 'done'])
  })

  it('is refused where the run stops without reading it, stays in the inbox, and is read at a continue', async () => {
    await using t = await testOffshoot({ script: { main: [late, { text: 'both' }] } })
    const chat = await t.offshoot.chat()
    const run = await chat.send('a')
    const second = refusal(chat.send('b'))
    await expect
      .poll(async () => (await t.offshoot.inbox.list(run.conversationId)).map(({ text }) => text))
      .toEqual(['b'])
    await t.clock.until(run.interrupt())
    expect(await t.clock.until(second)).toMatchObject({
      code: 'conflict',
      hint: expect.stringContaining(`continue('${run.branchId}')`) as string,
    })
    const next = await t.offshoot.continue(run.branchId, 'go on')
    expect(await t.clock.until(next.result())).toMatchObject({ text: 'both' })
    const messages = await t.offshoot.branches.messages(run.branchId)
    expect(JSON.stringify(messages.filter(({ role }) => role === 'user'))).toContain('"b"')
  })

  it('is refused where somebody withdraws it, or the Offshoot is closed', async () => {
    const t = await testOffshoot({ script: { main: [late] } })
    const chat = await t.offshoot.chat()
    const run = await chat.send('a')
    const withdrawn = refusal(chat.send('b'))
    const waiting = async () => (await t.offshoot.inbox.list(run.conversationId)).map(({ id }) => id)
    await expect.poll(waiting).toHaveLength(1)
    await t.offshoot.inbox.withdraw(run.conversationId, (await waiting())[0]!)
    expect(await t.clock.until(withdrawn)).toMatchObject({ code: 'conflict' })
    const closed = refusal(chat.send('c'))
    await expect.poll(waiting).toHaveLength(1)
    await t[Symbol.asyncDispose]()
    expect(await closed).toMatchObject({ code: 'closed' })
  })

  it('keeps the agent, the model and the turns of a run: others are refused', async () => {
    await using t = await testOffshoot({ script: { main: [late] } })
    const chat = await t.offshoot.chat()
    await chat.send('a')
    await expect(chat.send('b', { maxTurns: 3 })).rejects.toMatchObject({ code: 'conflict' })
    await expect(chat.send('b', { mode: 'later' as never })).rejects.toMatchObject({ code: 'usage' })
  })
})
