import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { withPage } from '../src/client/merge-message-page.ts'
import { reduce } from '../src/client/reduce.ts'
import { statusOf } from '../src/client/status-labels.ts'
import { stateOf, type ViewState } from '../src/client/view-state.ts'
import type { OffshootEvent } from '../src/core/events.ts'
import type { ConversationId, RunId } from '../src/core/ids.ts'
import { isStopped } from '../src/core/run-status.ts'
import { routes } from '../src/protocol/route-schemas.ts'
import { messagePageOf } from '../src/runtime/views/message-page.ts'
import { snapshotOf } from '../src/runtime/views/snapshot.ts'
import { statusLinesOf } from '../src/runtime/views/status-lines.ts'
import type { RunRow } from '../src/protocol/run.ts'
import type { Snapshot } from '../src/protocol/conversation.ts'
import {
  agent,
  finish,
  handClock,
  harness,
  rawModel,
  streamOf,
  tool,
  type Harness,
} from './support/runtime-harness.ts'

const tools = [
  tool('read', { execute: (_, { emit }) => (emit('.'), 'r') }),
  tool('bash', { effects: 'execute' }),
  tool('fails', { execute: () => Promise.reject(new Error('no')) }),
]

const call = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ tool: fc.constantFrom('read', 'bash', 'fails', 'gone'), input: fc.constant({}) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      tool: fc.constant('task'),
      input: fc.record({
        prompt: fc.constant('do it'),
        subagent_type: fc.constantFrom('general', 'explore'),
        run_in_background: fc.boolean(),
      }),
    }),
  },
)
const entry = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      text: fc.constantFrom('', 'some words', 'One. Two.'),
      toolCalls: fc.array(call, { maxLength: 3 }),
      delayMs: fc.nat(20_000),
      chunks: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ error: fc.record({ status: fc.constantFrom(400, 429, 529) }) }) },
)
const entries = fc.array(entry, { minLength: 3, maxLength: 16, size: 'max' })
const scenario = fc.record({
  script: fc.record({ main: entries, '*': entries }),
  cutsMs: fc.array(fc.nat(60_000), { minLength: 1, maxLength: 5 }),
  stop: fc.option(
    fc.record({ afterMs: fc.nat(60_000), verb: fc.constantFrom('pause' as const, 'cancel' as const) }),
  ),
  maxDepth: fc.constantFrom(1, 2),
  maxConcurrent: fc.integer({ min: 1, max: 3 }),
  maxTurns: fc.integer({ min: 1, max: 5 }),
})

/** What the snapshot says now, and what comes after it. */
interface Cut {
  readonly state: ViewState
  readonly events: OffshootEvent[]
  /** Takes what is about to be told. */
  readonly flush: () => void
}

function snapshotNow({ store, runtime }: Harness, id: ConversationId): ViewState {
  const facts = { maxConcurrent: 3, streaming: runtime.partials(id) }
  const snapshot: Snapshot = snapshotOf(store, store.get('conversations', id)!, facts)
  const state = stateOf(snapshot)
  for (const [runId, line] of statusLinesOf(store, id, true)) {
    const run = state.runs[runId]!
    expect(lineOf(state, run)).toEqual(line.state === 'Running' ? { ...line, ...atThisMoment } : line)
  }
  return store
    .find('branches', { where: { conversationId: id } })
    .map((branch) => messagePageOf(store, branch, { limit: 1_000 }))
    .reduce((next, page) => withPage(next, page), state)
}

/** What is streamed, and so what happens at this very moment, is stored now and then. */
const atThisMoment = { detail: null, since: null }

/** What the page says of a branch; `ps` and `show` make it of the rows alone. */
function lineOf(state: ViewState, run: RunRow) {
  const line = statusOf({ ...state, isDriven: true }, run)
  return line.state === 'Running' ? { ...line, ...atThisMoment } : line
}

function cut(h: Harness, id: ConversationId): Cut {
  const events: OffshootEvent[] = []
  const subscribe = () => h.runtime.subscribe(id, (batch) => void events.push(...batch))
  let end = subscribe()
  const flush = () => {
    end()
    end = subscribe()
  }
  return { state: snapshotNow(h, id), events, flush }
}

/** What both ends can tell of the same moment. */
function comparable(state: ViewState) {
  const runs = byId(Object.values(state.runs)).map((run) => ({
    ...run,
    budgetLeftUsd: 0,
    budgetLeftTokens: 0,
    reservedUsd: 0,
    reservedTokens: 0,
    attempt: 0,
    lastAction: isStopped(run.status) ? null : run.lastAction,
  }))
  const branches = byId(Object.values(state.branches)).map(({ lastAnswerId: _, ...branch }) => ({
    ...branch,
    messages: branch.messages?.map((message) => ({ ...message, usage: null, createdAt: 0 })),
    calls: byId(Object.values(branch.calls)).map((each) => ({ ...each, lastLine: '' })),
  }))
  const { seq, approvals, questions, inbox, slots, queue, totals, conversation } = state
  const { updatedAt: _, ...about } = conversation
  return { seq, runs, branches, approvals, questions, inbox, slots, queue, totals, about }
}

/** The same in the middle, where the figures of a turn are stored before they are told. */
function atWork(state: ViewState) {
  const { runs, queue, approvals, questions, inbox, slots } = comparable(state)
  const states = runs.map(({ id, status, reason, endReason, queuePosition, headline, waitingFor, error }) => {
    return { id, status, reason, endReason, queuePosition, headline, waitingFor, error }
  })
  const lines = Object.values(state.runs).map((run) => [run.id, lineOf(state, run)] as const)
  return {
    states,
    lines: Object.fromEntries(lines),
    queue,
    approvals,
    questions,
    inbox,
    running: slots.running,
    queued: slots.queued,
  }
}

function byId<T extends { readonly id: string }>(rows: readonly T[]): readonly T[] {
  return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

describe('a snapshot, and the events after it', () => {
  it('come to the snapshot at the end, from wherever they begin', async () => {
    const texts: { shown: string; whole: string }[] = []
    const moments: (readonly [ViewState, ViewState])[] = []
    const property = fc.asyncProperty(
      scenario,
      async ({ script, cutsMs, stop, maxDepth, maxConcurrent, maxTurns }) => {
        const clock = handClock()
        const config = { limits: { maxDepth, maxConcurrent, maxSpawns: 6 } }
        const agents = [agent('main'), agent('general'), agent('explore', { tools: ['read'] })]
        const h = harness({ script: script, tools, agents, config, clock })
        h.runtime.approvals.attend()
        const { conversationId, result, stop: stopAll } = await h.start('go', { maxTurns })
        const cuts = [cut(h, conversationId)]
        const now = () => snapshotNow(h, conversationId)
        for (const ms of cutsMs)
          clock.after(ms, () => {
            cuts.forEach(({ flush }) => flush())
            moments.push(...cuts.map(({ state, events }) => [events.reduce(reduce, state), now()] as const))
            cuts.push(cut(h, conversationId))
          })
        if (stop) clock.after(stop.afterMs, () => stopAll(stop.verb))
        answerAll(h)
        clock.after(90_000_000, () => stopAll('pause'))
        await clock.until(result)
        for (const { flush } of cuts) flush()
        const last = now()
        for (const { state, events } of cuts) {
          const after = events.reduce(checked, state)
          expect(comparable(after)).toEqual(comparable({ ...last, slots: { ...last.slots, max: 3 } }))
          // an event that is told again, and one that is told late, change nothing that is stored
          const again = events.flatMap((event) => [event, event]).reduce(reduce, state)
          expect(comparable(again)).toEqual(comparable(after))
          texts.push(...streamed(state, events))
        }
      },
    )
    await fc.assert(property, { numRuns: 100 })
    expect(texts.filter(({ whole }) => whole !== '').length).toBeGreaterThan(100)
    // what is committed and not told yet is in the snapshot alone
    const equal = moments.filter(([told, read]) => told.seq === read.seq)
    expect(equal.length).toBeGreaterThan(moments.length * 0.9)
    for (const [told, read] of equal) expect(atWork(told)).toEqual(atWork(read))
    expect(texts.filter(({ shown, whole }) => shown !== whole)).toEqual([])
  })

  it('hold what has been streamed so far', async () => {
    const [first, second] = ['One', ' two.'].map((delta) => ({ type: 'text-delta', id: 't', delta }))
    const { promise, resolve } = Promise.withResolvers<void>()
    const model = rawModel(async () => {
      const pieces = streamOf([{ type: 'text-start', id: 't' }, first], 'open')
      const rest = streamOf([second, { type: 'text-end', id: 't' }, finish()])
      return joined(pieces, promise, rest)
    })
    const h = harness({ model })
    const { conversationId, branchId, result } = await h.start('go')
    const text = (state: ViewState) => state.branches[branchId]!.streaming?.parts[0]
    await expect.poll(() => text(snapshotNow(h, conversationId))?.text).toBe('One')
    const { state, events, flush } = cut(h, conversationId)
    resolve()
    await h.clock.until(result)
    flush()
    expect(streamed(state, events)).toEqual([{ shown: 'One two.', whole: 'One two.' }])
  })

  it('are stale as soon as a stored event is missing', async () => {
    const h = harness({ script: { main: [{ text: 'hello' }] } })
    const { conversationId, result } = await h.start('go')
    const { state, events, flush } = cut(h, conversationId)
    await h.clock.until(result)
    flush()
    const stored = events.filter((event) => event.sub === undefined)
    expect(stored.length).toBeGreaterThan(3)
    stored.slice(0, -1).forEach((missing) => {
      const after = stored.filter((event) => event !== missing).reduce(reduce, state)
      expect([after.isStale, after.seq]).toEqual([true, missing.seq - 1])
    })
    const live = { ...stored.at(-1)!, sub: 1, seq: stored.at(-1)!.seq + 1 }
    expect(stored.concat(live).reduce(reduce, state).isStale).toBe(true)
    const other = { ...stored[0]!, conversationId: 'cnv_other' as ConversationId }
    expect(reduce(state, other)).toBe(state)
  })
})

type Pieces = ReturnType<typeof streamOf>

/** One stream behind the other, as soon as it may begin. The first does not end by itself. */
function joined(first: Pieces, may: Promise<void>, second: Pieces): Pieces {
  const { readable, writable } = new TransformStream()
  void (async () => {
    const reader = first.getReader()
    const writer = writable.getWriter()
    for (let i = 0; i < 2; i++) await writer.write((await reader.read()).value)
    await may
    writer.releaseLock()
    await second.pipeTo(writable)
  })().catch(() => {})
  return readable
}

/** One more event: what it is not about stays the same object. */
function checked(state: ViewState, event: OffshootEvent): ViewState {
  const next = reduce(state, event)
  expect(next.isStale).toBe(false)
  if (event.sub === undefined) expect(reduce(next, event)).toBe(next)
  for (const branch of Object.values(state.branches))
    if (branch.id !== event.branchId) expect(next.branches[branch.id]).toBe(branch)
  const above = new Set<string | null>(event.runId ? [event.runId] : [])
  for (const id of above) above.add((id && next.runs[id as RunId]?.parentRunId) || null)
  const moved = state.queue === next.queue ? [] : [...state.queue, ...next.queue]
  for (const run of Object.values(state.runs))
    if (!above.has(run.id) && !moved.includes(run.id)) expect(next.runs[run.id]).toBe(run)
  return next
}

/** Of each answer that was streamed: what was shown just before it was whole, and what it was then. */
function streamed(state: ViewState, events: readonly OffshootEvent[]) {
  const texts: { shown: string; whole: string }[] = []
  let now = state
  for (const event of events) {
    if (event.type === 'part.completed' && event.kind === 'text' && event.branchId) {
      const { streaming } = now.branches[event.branchId]!
      const part = streaming?.parts.find(({ id }) => id === event.partId)
      if (part) texts.push({ shown: part.text, whole: (event.part as { text?: string }).text ?? '' })
    }
    now = reduce(now, event)
  }
  return texts
}

function answerAll({ runtime, store, clock }: Harness) {
  const look = () => {
    for (const { id } of store.find('approvals', { where: { answer: null } }))
      runtime.approvals.answer(id, { answer: 'once', by: 'person' }).catch(() => {})
    clock.after(7_000, look)
  }
  look()
}

test('the snapshot is what the protocol says', async () => {
  const h = harness({ script: { main: [{ text: 'hello' }] } })
  const { conversationId } = await h.run('go')
  const conversation = h.store.get('conversations', conversationId)!
  const snapshot = snapshotOf(h.store, conversation, { maxConcurrent: 4 })
  expect(routes.getSnapshot.answer.parse(snapshot)).toEqual(snapshot)
  const [branch] = h.store.find('branches', { where: { conversationId } })
  const page = messagePageOf(h.store, branch!, { limit: 50 })
  expect(routes.listMessages.answer.parse(page)).toEqual(page)
})
