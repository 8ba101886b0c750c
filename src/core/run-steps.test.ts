import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { BranchId, ConversationId, RunId } from './ids.ts'
import type { CompletedRun, Run, RunFacts, StoredRun, WaitingFor } from './run.ts'
import { canBecome, isStopped, runStatuses, state, type RunState } from './run-status.ts'
import { backTo, enterState, parseRun, waitOn, type NextState } from './run-steps.ts'
import { noUsage } from './usage.ts'

const facts: RunFacts = {
  id: 'run_1' as RunId,
  conversationId: 'cnv_1' as ConversationId,
  branchId: 'brn_1' as BranchId,
  parentRunId: null,
  originCallId: null,
  depth: 0,
  agent: 'main',
  model: 'scripted/test',
  description: 'a run',
  background: false,
  attempt: 1,
  stopNo: 0,
  limits: { maxTurns: 5, maxTokens: null, maxCostUsd: null, timeoutMs: null, stallMs: 1 },
  setup: null,
  turns: 1,
  toolCalls: 2,
  usage: noUsage,
  costUsd: null,
  lastAction: null,
  reportMessageId: null,
  reportNote: null,
  output: null,
  queuedAt: 3,
}

const waitingFor: WaitingFor = { what: 'retry', detail: 'the provider', since: 5 }
const error = { code: 'provider', message: 'no' }
const waits = ['approval', 'question', 'children', 'retry'] as const
const ends = ['max_turns', 'timeout', 'max_tokens', 'budget', 'stall', 'restart', 'user', 'parent'] as const

const everyNext: readonly NextState[] = [
  state.queued,
  state.running,
  ...waits.map((what) => ({ ...state.waiting(what), waitingFor: { ...waitingFor, what } })),
  ...ends.map((why) => state.paused(why)),
  state.completed,
  { ...state.failed, error },
  state.cancelled('user'),
  state.cancelled('parent'),
]

/** A row as the program writes it in a state, with what that state leaves open. */
const written = fc
  .record({
    to: fc.constantFrom(...everyNext),
    asked: fc.constantFrom('user', 'parent', null),
    hasStarted: fc.boolean(),
    turns: fc.nat(),
    output: fc.jsonValue(),
  })
  .map(({ to, asked, hasStarted, turns, output }): StoredRun => {
    const began = hasStarted || to.status === 'running' || to.status === 'waiting'
    const hasStopped = isStopped(to.status)
    return {
      ...facts,
      waitingFor: null,
      error: null,
      ...to,
      turns,
      output,
      pausing: hasStopped ? null : asked,
      startedAt: began ? 4 : null,
      endedAt: hasStopped ? 9 : null,
    }
  })

describe('a stored row', () => {
  test('that the program has written is a run just as it is, in every state', () => {
    fc.assert(
      fc.property(written, (row) => {
        expect(parseRun(row)).toEqual(row)
      }),
    )
  })

  test('is one after every step of the table, and the next row is what the step wrote', () => {
    fc.assert(
      fc.property(written, fc.constantFrom(...everyNext), (row, to) => {
        fc.pre(canBecome(row.status, to.status))
        const next = enterState(parseRun(row), to, 20)
        expect(next).toMatchObject({ ...to, endedAt: isStopped(to.status) ? 20 : null })
        expect(parseRun(next)).toEqual(next)
        const { status: _1, reason: _2, endReason: _3, waitingFor: _4, error: _5, ...before } = row
        const { startedAt: _6, endedAt: _7, pausing: _8, ...kept } = before
        expect(next).toMatchObject(kept)
      }),
    )
  })

  test('takes no other step', () => {
    fc.assert(
      fc.property(written, fc.constantFrom(...everyNext), (row, to) => {
        fc.pre(!canBecome(row.status, to.status))
        expect(() => enterState(parseRun(row), to, 20)).toThrow(
          `a run cannot go from ${row.status} to ${to.status}`,
        )
      }),
    )
  })

  const paused = { ...facts, ...state.paused('user'), error: null, startedAt: 4 }

  test.each<[string, StoredRun, Partial<Run>]>([
    [
      'of an import: a pause of a run that was waiting, and was to pause',
      { ...paused, waitingFor, pausing: 'user', endedAt: 9 },
      { waitingFor: null, pausing: null, endedAt: 9 },
    ],
    [
      'that was repaired: a pause of a run that had failed, without an end',
      { ...paused, waitingFor: null, error, endedAt: null },
      { error: null, pausing: null, endedAt: 4 },
    ],
    [
      'of a run that never began and has an end',
      { ...facts, ...state.queued, waitingFor: null, error: null, startedAt: null, endedAt: 9 },
      { endedAt: null, startedAt: null },
    ],
    [
      'of a wait that does not say for what',
      {
        ...facts,
        ...state.waiting('children'),
        waitingFor: null,
        error: null,
        startedAt: null,
        endedAt: null,
      },
      { waitingFor: { what: 'children', detail: '', since: 3 }, startedAt: 3 },
    ],
    [
      'of a failure that does not say why',
      { ...facts, ...state.failed, waitingFor: null, error: null, startedAt: 4, endedAt: 9 },
      { error: { code: 'internal', message: 'the database does not say why it failed' } },
    ],
  ])('%s is made to fit its status', (_, row, fits) => {
    expect(parseRun(row)).toEqual({ pausing: null, ...row, ...fits })
  })

  test.each<[Partial<StoredRun>, RegExp]>([
    [{ ...state.completed, status: 'dancing' as never }, /run_1 has the status "dancing"/],
    [{ ...state.completed, reason: 'approval' }, /run_1 is completed with the reason "approval"/],
    [{ ...state.completed, endReason: 'user' }, /run_1 is completed .* the end "user"/],
    [{ ...state.paused('user'), reason: null }, /run_1 is paused with no reason/],
    [{ ...state.paused('user'), reason: 'budget' }, /run_1 is paused with the reason "budget"/],
    [{ ...state.running, endReason: 'done' }, /run_1 is running .* the end "done"/],
    [{ ...state.waiting('retry'), reason: 'user' }, /run_1 is waiting with the reason "user"/],
    [{ ...state.cancelled('user'), endReason: null }, /run_1 is cancelled .* no end/],
  ])('%j says nothing clear: what it may do nobody can say', (said, message) => {
    const row = {
      ...facts,
      ...state.queued,
      waitingFor: null,
      error: null,
      startedAt: 4,
      endedAt: 9,
      ...said,
    }
    expect(() => parseRun(row as StoredRun)).toThrow(expect.objectContaining({ code: 'store_corrupt' }))
    expect(() => parseRun(row as StoredRun)).toThrow(message)
  })
})

const open = { ...facts, endReason: null, error: null, pausing: null, endedAt: null } as const
const waiting: Run = { ...open, ...state.waiting('retry'), waitingFor, startedAt: 4 }

test('a run waits on for something else, and only one that waits', () => {
  const next = { what: 'question', detail: 'which one', since: 6 } as const
  expect(waitOn(waiting, next)).toEqual({ ...waiting, reason: 'question', waitingFor: next })
  expect(() => waitOn(enterState(waiting, state.running, 7), next)).toThrow(
    'running cannot change what it waits for',
  )
})

test('a run whose step was not stored is in the state before it, and keeps all else that happened', () => {
  const later = { ...enterState(waiting, state.running, 7), turns: 9, pausing: 'user' } as Run
  expect(backTo(waiting, later)).toEqual({ ...waiting, turns: 9, pausing: 'user' })
  const ended = { ...enterState(waiting, state.completed, 7), turns: 9 }
  expect(backTo(ended, { ...ended, turns: 10 })).toEqual({ ...ended, turns: 10 })
})

test('a status has its own values alone: nothing else compiles', () => {
  const completed = enterState(waiting, state.completed, 9) as CompletedRun
  // @ts-expect-error a run that has completed waits for nothing
  const wrong: Run = { ...completed, waitingFor }
  // @ts-expect-error nor is it asked to pause
  const asked: Run = { ...completed, pausing: 'user' }
  // @ts-expect-error a run that waits says for what
  const mute: Run = { ...waiting, waitingFor: null }
  // @ts-expect-error what runs has begun
  const early: Run = { ...open, ...state.running, waitingFor: null, startedAt: null }
  // @ts-expect-error a failure says why
  const next: NextState = state.failed
  // @ts-expect-error a run that has completed cannot be entered with a wait
  const odd: NextState = { ...state.completed, waitingFor }
  const stored: StoredRun = completed
  // @ts-expect-error a row of the store is no run before it was read as one
  const unread: Run = stored
  for (const row of [wrong, asked]) expect(parseRun(row)).toEqual(completed)
  for (const row of [mute, early]) expect(parseRun(row)).not.toEqual(row)
  expect([next, odd, unread]).toHaveLength(3)
  const triples: readonly RunState[] = everyNext
  expect(new Set(triples.map(({ status }) => status))).toEqual(new Set(runStatuses))
})
