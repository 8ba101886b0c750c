import { describe, expect, it } from 'vitest'
import { branchRow, viewState } from '../../test/support/view-state.ts'
import type { OffshootEvent } from '../core/events.ts'
import type { BranchId } from '../core/ids.ts'
import type { Snapshot } from '../protocol/conversation.ts'
import type { MessagePage } from '../protocol/message.ts'
import { ClientError } from './client-error.ts'
import type { Client } from './client.ts'
import { openConversationView } from './conversation-view.ts'
import type { Followed } from './follow-events.ts'

const main = 'brn_main' as BranchId

function snapshot(seq: number): Snapshot {
  const { branches, runs, steps: _steps, ...rest } = viewState()
  const rows = Object.values(branches).map(({ id }) => branchRow(id))
  return { ...rest, seq, branches: rows, runs: Object.values(runs), calls: [], streaming: [] }
}

const event = (seq: number, type: string, more: object = {}) =>
  ({
    seq,
    type,
    at: 1,
    conversationId: 'cnv_1',
    branchId: main,
    runId: null,
    ...more,
  }) as unknown as OffshootEvent
const appended = (seq: number, position: number) =>
  event(seq, 'message.appended', { messageId: `msg_${position}`, role: 'user', position })
const page = (seq: number, ...positions: number[]) =>
  ({
    branchId: main,
    seq,
    calls: [],
    before: positions[0]! > 0 ? positions[0]! : null,
    messages: positions.map((position) => ({
      id: `msg_${position}`,
      position,
      role: 'user',
      parts: [],
    })),
  }) as unknown as MessagePage

/** A server: each answer is given when the test says so. */
function server() {
  const asked: string[] = []
  const open = new Map<string, PromiseWithResolvers<unknown>[]>()
  const next = (what: string) => {
    const waiting = open.get(what) ?? []
    open.set(what, waiting)
    return waiting
  }
  const ask = (what: string) => {
    asked.push(what)
    const waiting = Promise.withResolvers<unknown>()
    next(what.split(' ')[0]!).push(waiting)
    return waiting.promise
  }
  const client = {
    getSnapshot: () => ask('snapshot'),
    listMessages: ({ before }: { readonly before?: number }) => ask(`page ${before ?? 'last'}`),
    async *events(_id: string, { after, signal }: { readonly after: number; readonly signal: AbortSignal }) {
      asked.push(`events ${after}`)
      for (;;) {
        const waiting = Promise.withResolvers<unknown>()
        next('events').push(waiting)
        const left = new Promise<undefined>((resolve) =>
          signal.addEventListener('abort', () => resolve(undefined)),
        )
        const followed = await Promise.race([waiting.promise, left])
        if (!followed) return
        yield followed as Followed
      }
    },
  } as unknown as Client
  const settle = async (what: string, how: 'resolve' | 'reject', value: unknown) => {
    await expect.poll(() => next(what).length).toBeGreaterThan(0)
    next(what).shift()![how](value)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return {
    client,
    asked,
    answer: (what: string, value: unknown) => settle(what, 'resolve', value),
    fail: (what: string, error: unknown) => settle(what, 'reject', error),
    tell: (...events: OffshootEvent[]) => settle('events', 'resolve', { type: 'events', events }),
  }
}

const positions = (view: { readonly state: ReturnType<typeof viewState> | null }) =>
  view.state!.branches[main]!.messages?.map(({ position }) => position)

describe('openConversationView', () => {
  it('takes a snapshot, and follows what comes after it', async () => {
    const { client, asked, answer, tell } = server()
    const view = openConversationView(client, 'cnv_1')
    let changes = 0
    view.subscribe(() => changes++)
    await answer('snapshot', snapshot(4))
    await answer('events', { type: 'connected' })
    expect(view.connection).toEqual({ status: 'live' })
    await tell(event(5, 'conversation.updated', { title: 'new' }))
    expect([asked, view.state?.conversation.title, changes]).toEqual([['snapshot', 'events 4'], 'new', 3])
    const lost = { type: 'disconnected', error: new Error('gone'), retryMs: 5 }
    await answer('events', lost)
    expect(view.connection).toEqual({ status: 'lost', error: lost.error, retryMs: 5 })
    view.close()
  })

  it('takes a new snapshot after a lost connection: no event tells that a process is gone', async () => {
    const { client, asked, answer } = server()
    const view = openConversationView(client, 'cnv_1')
    await answer('snapshot', snapshot(4))
    await answer('events', { type: 'connected' })
    await answer('events', { type: 'disconnected', error: new Error('gone'), retryMs: 5 })
    await answer('events', { type: 'connected' })
    const left = { ...snapshot(4), owner: null }
    await answer('snapshot', left)
    await answer('events', { type: 'connected' })
    expect(view.connection).toEqual({ status: 'live' })
    expect(view.state).toMatchObject({ isDriven: false })
    expect(asked).toEqual(['snapshot', 'events 4', 'snapshot', 'events 4'])
    view.close()
  })

  it('begins anew where it has missed events, and loads again what was loaded', async () => {
    const { client, asked, answer, tell } = server()
    const view = openConversationView(client, 'cnv_1')
    await answer('snapshot', snapshot(4))
    const loading = view.loadBranch(main)
    await answer('page', page(4, 0, 1))
    await loading
    await tell(event(7, 'conversation.updated', { title: 'lost' }))
    await answer('snapshot', snapshot(7))
    expect(positions(view)).toEqual([0, 1])
    await answer('page', page(8, 0, 1, 2))
    expect([positions(view), view.state!.isStale]).toEqual([[0, 1, 2], false])
    await tell(appended(8, 2), appended(9, 3))
    expect(positions(view)).toEqual([0, 1, 2, 3])
    await answer('events', { type: 'reset' })
    await answer('snapshot', snapshot(9))
    expect(asked).toEqual([
      'snapshot',
      'events 4',
      'page last',
      'snapshot',
      'page last',
      'events 7',
      'snapshot',
      'page last',
    ])
    view.close()
  })

  it('loses no message that comes while a page is asked for', async () => {
    const { client, answer, tell } = server()
    const view = openConversationView(client, 'cnv_1')
    await answer('snapshot', snapshot(4))
    const loading = view.loadBranch(main)
    await tell(appended(5, 1), appended(6, 2))
    expect(positions(view)).toBeUndefined()
    await answer('page', page(5, 0, 1))
    await loading
    expect(positions(view)).toEqual([0, 1, 2])
    view.close()
  })

  it('loads older messages before those that are there', async () => {
    const { client, asked, answer } = server()
    const view = openConversationView(client, 'cnv_1')
    await answer('snapshot', snapshot(4))
    const loading = view.loadBranch(main)
    await answer('page', page(4, 2, 3))
    await loading
    const older = view.loadOlder(main)
    await answer('page', page(4, 0, 1))
    expect([await older, positions(view), await view.loadOlder(main)]).toEqual([true, [0, 1, 2, 3], false])
    expect(asked.slice(2)).toEqual(['page last', 'page 2'])
    view.close()
  })

  it('ends where there is no such conversation, and where it is deleted', async () => {
    const one = server()
    const lost = openConversationView(one.client, 'cnv_1')
    const error = new ClientError(404, { code: 'not_found', message: 'no' })
    const loading = lost.loadBranch(main).catch((thrown: unknown) => thrown)
    await one.fail('snapshot', error)
    expect(lost.connection).toEqual({ status: 'ended', error })
    expect(await loading).toBe(error)
    const two = server()
    const view = openConversationView(two.client, 'cnv_1')
    await two.answer('snapshot', snapshot(4))
    await two.tell(event(5, 'conversation.deleted'))
    expect([view.connection, view.state!.isDeleted]).toEqual([{ status: 'ended', error: null }, true])
  })

  it('tries again while the server cannot be reached', async () => {
    const { client, asked, answer, fail } = server()
    const view = openConversationView(client, 'cnv_1')
    const error = new ClientError(0, { code: 'unreachable', message: 'no' })
    await fail('snapshot', error)
    expect(view.connection).toEqual({ status: 'lost', error, retryMs: 250 })
    await answer('snapshot', snapshot(4))
    expect(asked).toEqual(['snapshot', 'snapshot', 'events 4'])
    view.close()
  })
})
