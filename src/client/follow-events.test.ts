import { describe, expect, it } from 'vitest'
import { ClientError } from './client-error.ts'
import { followEvents, type Followed, type FollowOptions } from './follow-events.ts'

const event = (seq: number, more: object = {}) =>
  `id: ${seq}\nevent: x\ndata: ${JSON.stringify({ type: 'conversation.updated', seq, title: 'é', ...more })}\n\n`

/** One connection after the other: the pieces of its stream, or what it throws. `open`: it does not end by itself. */
type Connection = readonly (string | Uint8Array)[] | { readonly open: readonly string[] } | Error

async function follow(connections: readonly Connection[], options: FollowOptions = {}) {
  const asked: string[] = []
  const waits: number[] = []
  const seen: Followed[] = []
  const ending = new AbortController()
  const left = [...connections]
  const request = async (path: string, init: RequestInit) => {
    asked.push(`${path} ${(init.headers as Record<string, string>)['last-event-id']}`)
    const next = left.shift()
    if (next instanceof Error) throw next
    return new Response(next && streamOf(next, init.signal!))
  }
  const wait = async (ms: number) => {
    waits.push(ms)
    if (left.length === 0) ending.abort()
  }
  const all = { wait, random: () => 1, signal: ending.signal, ...options }
  for await (const followed of followEvents(request, 'cnv_1', all)) seen.push(followed)
  return { asked, waits, seen }
}

function streamOf(given: Exclude<Connection, Error>, signal: AbortSignal): ReadableStream<Uint8Array> {
  const pieces = 'open' in given ? given.open : given
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces)
        controller.enqueue(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece)
      if (!('open' in given)) return controller.close()
      signal.addEventListener('abort', () => controller.error(signal.reason))
    },
  })
}

const seqs = (seen: readonly Followed[]) =>
  seen.flatMap((each): (number | string)[] =>
    each.type === 'events' ? each.events.map(({ seq }) => seq) : [each.type],
  )

describe('followEvents', () => {
  it('goes on after the last stored event, with growing waits', async () => {
    const live = { sub: 1 }
    const { asked, waits, seen } = await follow([
      [event(4), event(5) + event(5, live)],
      new ClientError(503, { code: 'internal', message: 'no' }),
      new ClientError(0, { code: 'unreachable', message: 'no' }),
      [event(6)],
    ])
    const path = '/conversations/cnv_1/events'
    expect(asked).toEqual([`${path}?after=0 0`, ...[1, 2, 3].map(() => `${path}?after=5 5`)])
    expect(waits).toEqual([250, 500, 1000, 250])
    expect(seqs(seen)).toEqual([
      'connected',
      4,
      5,
      5,
      'disconnected',
      'disconnected',
      'disconnected',
      'connected',
      6,
      'disconnected',
    ])
  })

  it('begins after a seq, and hands on that events were lost', async () => {
    const { asked, seen } = await follow([[event(9), 'event: reset\ndata: {}\n\n', event(12)]], { after: 8 })
    expect(asked).toEqual(['/conversations/cnv_1/events?after=8 8'])
    expect(seqs(seen)).toEqual(['connected', 9, 'reset', 12, 'disconnected'])
  })

  it('passes over what is no event, and joins characters that are cut', async () => {
    const bytes = new TextEncoder().encode(event(1))
    const cut = bytes.indexOf(0xc3) + 1
    const broken = 'data: {\n\ndata: 5\n\ndata: {"type":"x"}\n\ndata: null\n\n'
    const { seen } = await follow([[broken, bytes.slice(0, cut), bytes.slice(cut)]])
    expect(seen[1]).toMatchObject({ type: 'events', events: [{ seq: 1, title: 'é' }] })
  })

  it.each([0, 1, 2, 3])('reads past a byte order mark that is cut after %i bytes', async (cut) => {
    const bytes = new TextEncoder().encode(`\uFEFF${event(1)}`)
    const { seen } = await follow([[bytes.slice(0, cut), bytes.slice(cut)]])
    expect(seqs(seen)).toEqual(['connected', 1, 'disconnected'])
  })

  it('takes a silent connection for a dead one', async () => {
    const { seen } = await follow([{ open: [event(1)] }], { silenceMs: 20 })
    expect(seqs(seen)).toEqual(['connected', 1, 'disconnected'])
    expect(seen[2]).toMatchObject({ error: { message: 'no data for 0.02 s' } })
  })

  it.each([401, 403, 404])('ends where the server refuses with %i', async (status) => {
    const refused = new ClientError(status, { code: 'not_found', message: 'no' })
    await expect(follow([refused])).rejects.toBe(refused)
  })

  it('ends with its signal, also in the middle of a stream', async () => {
    const ending = new AbortController()
    const seen: Followed[] = []
    const request = async (_: string, init: RequestInit) =>
      new Response(streamOf({ open: [event(1)] }, init.signal!))
    for await (const each of followEvents(request, 'cnv_1', { signal: ending.signal })) {
      seen.push(each)
      if (each.type === 'events') ending.abort()
    }
    expect(seqs(seen)).toEqual(['connected', 1])
  })
})
