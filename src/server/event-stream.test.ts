import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { emptyStore, ServedUser } from '../../test/support/served-user.ts'
import { handClock } from '../testing.ts'
import type { OffshootEvent } from '../core/events.ts'
import type { ConversationId } from '../core/ids.ts'
import { readEvents } from '../runtime/log/stored-events.ts'
import { eventStream } from './event-stream.ts'
import { Topic } from './event-topic.ts'

describe('over a socket', () => {
  let served: ServedUser
  beforeAll(async () => {
    served = await ServedUser.start()
  })
  afterAll(() => served.remove())

  const stored = (id: ConversationId) => readEvents(served.store, id, 0).map(({ seq, type }) => [seq, type])

  async function durable(id: ConversationId, after: number, until: number, headers = {}) {
    const found: [number, string][] = []
    const ending = new AbortController()
    for await (const frame of served.events(id, { after, headers, signal: ending.signal })) {
      if (frame.id === undefined) continue
      expect(frame.event?.seq).toBe(Number(frame.id))
      found.push([Number(frame.id), frame.name!])
      if (Number(frame.id) >= until) break
    }
    ending.abort()
    return found
  }

  test('a client that comes back with Last-Event-ID has lost nothing', async () => {
    const turn = { text: 'some words', toolCalls: [{ tool: 'glob', input: { pattern: '*' } }], chunks: 5 }
    const { conversationId: id } = await served.begin({
      '*': [turn, turn, { text: 'end', chunks: 20, delayMs: 100 }],
    })
    const first = await durable(id, 0, 6)
    await served.ended(id)
    const last = stored(id).at(-1)![0] as number
    const rest = await durable(id, 1, last, { 'last-event-id': String(first.at(-1)![0]) })
    expect([...first, ...rest]).toEqual(stored(id))
  })

  test('text that is streamed is told from its beginning to whoever comes in the middle', async () => {
    const text = 'one two three four five six seven eight nine ten'
    const { conversationId: id } = await served.begin({ '*': [{ text, chunks: 10, delayMs: 500 }] })
    const ending = new AbortController()
    let shown = ''
    for await (const { event } of served.events(id, { after: 0, signal: ending.signal })) {
      if (event?.type === 'part.delta') shown = shown.slice(0, event.offset) + event.text
      if (event?.type === 'part.completed' && event.kind === 'text' && shown !== '') break
    }
    ending.abort()
    expect(shown).toBe(text)
  })

  test('a seq that was never given out: take a new snapshot', async () => {
    const { conversationId: id } = await served.begin({ '*': [{ text: 'x' }] })
    await served.ended(id)
    const frames = []
    for await (const frame of served.events(id, { after: 10_000 })) frames.push(frame)
    expect(frames.at(-1)).toMatchObject({ name: 'reset', id: undefined })
    for (const after of ['x', '-1', '1.5', '9'.repeat(30)])
      expect((await served.get(`/conversations/${id}/events?after=${after}`)).status).toBe(422)
  })

  test('the process that drove it is gone: take a new snapshot, which says so', async () => {
    const { conversationId: id } = await served.begin({ '*': [{ text: 'x' }] })
    await served.ended(id)
    const [run] = served.store.find('runs', { where: { conversationId: id } })
    await expect.poll(() => served.store.get('leases', id)?.renewedAt).toBe(0)
    const lease = { owner: 'other', host: 'elsewhere', bootId: 'b', pid: 7, pidStart: 1 }
    await served.store.tx(
      (tx) => {
        tx.update('runs', run!.id, { status: 'running', endReason: null, endedAt: null })
        tx.update('leases', id, { ...lease, renewedAt: Date.now() })
      },
      { durable: true },
    )
    expect((await served.get(`/conversations/${id}`)).body).toMatchObject({ owner: { host: 'elsewhere' } })
    const frames = served.events(id, { after: 0 })
    await frames.next()
    await served.store.tx((tx) => tx.update('leases', id, { renewedAt: 0 }), { durable: true })
    let last
    for await (const frame of frames) last = frame
    expect(last).toMatchObject({ name: 'reset' })
    expect((await served.get(`/conversations/${id}`)).body).toMatchObject({ owner: null })
  })

  test('the conversation is deleted: every client is told', async () => {
    const { conversationId: id } = await served.begin({ '*': [{ text: 'x' }] })
    await served.ended(id)
    const frames = served.events(id, { after: 0 })
    await frames.next()
    expect((await served.call('DELETE', `/api/conversations/${id}`)).status).toBe(200)
    const names = []
    for await (const { name } of frames) names.push(name)
    expect(names.at(-1)).toBe('reset')
  })

  test('500 clients, some of whom never read: all others are told, and the server answers', async () => {
    const { conversationId: id, branchId } = await served.begin({ '*': [{ text: 'x' }, { text: 'y' }] })
    await served.ended(id)
    const head = `GET /api/conversations/${id}/events HTTP/1.1\r\nHost: 127.0.0.1:${served.server.port}\r\nAuthorization: Bearer ${served.token}\r\n\r\n`
    const sockets = await Promise.all(Array.from({ length: 500 }, () => opened(served.server.port, head)))
    const reading = sockets.filter((_, i) => i % 10 !== 0)
    const told = Promise.all(reading.map((socket) => untilText(socket, '"text":"again"')))
    expect((await served.post(`/branches/${branchId}/messages`, { text: 'again' })).status).toBe(202)
    await told
    expect((await served.get('/health')).status).toBe(200)
    for (const socket of sockets) socket.destroy()
  })
})

async function opened(port: number, head: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', () => {})
  await new Promise<void>((resolve) => socket.write(head, () => resolve()))
  return socket
}

function untilText(socket: Socket, text: string): Promise<void> {
  return new Promise((resolve) => {
    let held = ''
    socket.on('data', (data) => {
      held = (held + data.toString()).slice(-10_000)
      if (held.includes(text)) resolve()
    })
  })
}

describe('a client that reads nothing', () => {
  const id = `cnv_${'0'.repeat(26)}` as ConversationId
  const delta = (sub: number): OffshootEvent =>
    ({ type: 'tool.output', seq: 0, sub, conversationId: id, text: 'x'.repeat(10_000) }) as OffshootEvent

  function open() {
    const clock = handClock(0)
    const store = emptyStore()
    const topic = new Topic(id, store)
    let isCut = false
    const stream = eventStream({
      topic,
      store,
      clock,
      after: 0,
      partials: () => [],
      ending: new AbortController().signal,
      cut: () => (isCut = true),
    })
    return { clock, topic, reader: stream.getReader(), isCut: () => isCut }
  }

  test('owes a bounded amount, is told to take a new snapshot, and then its connection is cut', async () => {
    const { clock, topic, reader, isCut } = open()
    await reader.read() // it has begun
    let told = 0
    while (topic.listeners.size > 0) topic.push([delta(++told)])
    expect(told).toBeLessThan(200)
    expect(isCut()).toBe(false)
    await clock.advance(60_000)
    expect(isCut()).toBe(true)
    let text = ''
    for (let read = await reader.read(); !read.done; read = await reader.read())
      text += new TextDecoder().decode(read.value)
    expect(text).toMatch(/event: reset\ndata: \{"reason":"slow","seq":0\}\n\n$/)
  })

  test('and to which nothing happens gets heartbeats, until nobody takes them', async () => {
    const { clock, reader } = open()
    const { value } = await reader.read()
    expect(new TextDecoder().decode(value)).toContain('retry: 1000')
    await clock.advance(15_000)
    expect(new TextDecoder().decode((await reader.read()).value)).toBe(': heartbeat\n\n')
  })
})
