import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { OffshootError } from './errors.ts'
import {
  canBecome,
  isFinal,
  isStopped,
  runStatuses,
  state,
  transition,
  type RunState,
  type RunStatus,
} from './run-status.ts'

/** The table of statuses, line by line (invariant S1). */
const legal = new Set([
  'queued>running',
  'running>waiting',
  'waiting>running',
  'waiting>queued',
  ...['running', 'waiting', 'queued'].flatMap((from) =>
    ['completed', 'failed', 'cancelled', 'paused'].map((to) => `${from}>${to}`),
  ),
  'paused>queued',
  'paused>cancelled',
])
const everyStatus = ['queued', 'running', 'waiting', 'paused', 'completed', 'failed', 'cancelled'] as const

const waitReasons = ['approval', 'question', 'children', 'retry'] as const
const pauseReasons = {
  max_turns: 'limit',
  timeout: 'limit',
  max_tokens: 'limit',
  budget: 'budget',
  stall: 'stall',
  restart: 'restart',
  user: 'user',
  parent: 'parent',
} as const
const pauseWhys = Object.keys(pauseReasons) as (keyof typeof pauseReasons)[]

const everyState: readonly RunState[] = [
  state.queued,
  state.running,
  state.completed,
  state.failed,
  ...waitReasons.map((reason) => state.waiting(reason)),
  ...pauseWhys.map((why) => state.paused(why)),
  state.cancelled('user'),
  state.cancelled('parent'),
]

test('there are seven statuses', () => {
  expect([...runStatuses].toSorted()).toEqual([...everyStatus].toSorted())
})

describe.each(everyStatus)('from %s', (from) => {
  test.each(everyStatus)('to %s', (to) => {
    const isLegal = legal.has(`${from}>${to}`)
    expect(canBecome(from, to)).toBe(isLegal)
    for (const next of everyState.filter(({ status }) => status === to)) {
      if (isLegal) expect(transition(from, next)).toBe(next)
      else expect(() => transition(from, next)).toThrow(OffshootError)
    }
  })

  test('final and stopped are what the table says', () => {
    const exits = everyStatus.filter((to) => legal.has(`${from}>${to}`))
    expect(isFinal(from)).toBe(exits.length === 0)
    expect(isStopped(from)).toBe(!exits.includes('running') && from !== 'running')
  })
})

test('no sequence of accepted transitions makes an illegal pair, or leaves a final status', () => {
  const moves = fc.array(fc.constantFrom(...everyState), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(moves, (tried) => {
      let current: RunStatus = 'queued'
      for (const next of tried) {
        const before: RunStatus = current
        try {
          current = transition(before, next).status
        } catch {
          expect(legal.has(`${before}>${next.status}`)).toBe(false)
          continue
        }
        expect(legal.has(`${before}>${current}`)).toBe(true)
        expect(['completed', 'failed', 'cancelled']).not.toContain(before)
      }
    }),
  )
})

describe('a state', () => {
  test('of a wait has its reason and no end', () => {
    for (const reason of waitReasons) {
      expect(state.waiting(reason)).toEqual({ status: 'waiting', reason, endReason: null })
    }
  })

  test.each(pauseWhys)('of a pause by %s has the reason that belongs to it', (why) => {
    expect(state.paused(why)).toEqual({ status: 'paused', reason: pauseReasons[why], endReason: why })
  })

  test('of a run in the queue or at work has neither reason nor end', () => {
    expect(state.queued).toEqual({ status: 'queued', reason: null, endReason: null })
    expect(state.running).toEqual({ status: 'running', reason: null, endReason: null })
  })

  test('that is final says why it ended', () => {
    expect(state.completed).toEqual({ status: 'completed', reason: null, endReason: 'done' })
    expect(state.failed).toEqual({ status: 'failed', reason: null, endReason: 'error' })
    expect(state.cancelled('user')).toEqual({ status: 'cancelled', reason: null, endReason: 'user' })
    expect(state.cancelled('parent')).toEqual({ status: 'cancelled', reason: null, endReason: 'parent' })
  })
})

test('an illegal transition is named in the error', () => {
  expect(() => transition('completed', state.running)).toThrow('a run cannot go from completed to running')
})
