import { expect, it } from 'vitest'
import { runRow, viewState } from '../../test/support/view-state.ts'
import type { OffshootEvent } from '../core/events.ts'
import type { RunId } from '../core/ids.ts'
import { noUsage } from '../core/usage.ts'
import type { ApprovalRow } from '../protocol/approvals-and-questions.ts'
import { reduce, withoutToast } from './reduce.ts'
import { statusOf } from './status-labels.ts'

const root = 'root' as RunId
const child = 'child' as RunId
const state = viewState({
  runs: [runRow('root', { depth: 0, turns: 1 }), runRow('child', { parentRunId: 'root', turns: 1 })],
})
const usage = { ...noUsage, input: 10 }
const turn = (seq: number, n: number, costUsd: number | null = 2) =>
  ({
    type: 'turn.completed',
    seq,
    at: 1,
    conversationId: 'cnv_1',
    branchId: 'brn_child',
    runId: 'child',
    turn: n,
    usage,
    costUsd,
  }) as unknown as OffshootEvent

it('counts a turn once, in its run, in those above it and in the totals', () => {
  const once = reduce(reduce(state, turn(1, 1)), turn(2, 2))
  const sum = { usage: { ...noUsage, input: 10 }, costUsd: 2 }
  expect(once.runs[child]).toMatchObject({ turns: 2, ...sum, subtree: sum })
  expect(once.runs[root]).toMatchObject({ costUsd: 0, subtree: sum })
  expect(once.totals).toMatchObject(sum)
  const unknown = reduce(once, turn(3, 3, null))
  expect([unknown.runs[child]!.costUsd, unknown.runs[root]!.subtree.costUsd, unknown.totals.costUsd]).toEqual(
    [null, null, null],
  )
})

const ended = (more: object) =>
  ({
    type: 'run.completed',
    seq: 1,
    at: 9,
    conversationId: 'cnv_1',
    branchId: 'brn_child',
    runId: 'child',
    status: 'completed',
    from: 'running',
    depth: 1,
    parentRunId: 'root',
    agent: 'explore',
    description: 'look',
    model: 'm',
    turns: 2,
    maxTurns: 10,
    toolCalls: 0,
    usage,
    costUsd: 1,
    background: false,
    report: '# Title. More.',
    ...more,
  }) as unknown as OffshootEvent

it('tells of the end of a subagent, until that is taken away', () => {
  const done = reduce(state, ended({}))
  expect(done.toasts).toMatchObject([{ runId: 'child', status: 'completed', headline: 'Title.', at: 9 }])
  expect(withoutToast(done, done.toasts[0]!.id).toasts).toEqual([])
  expect(reduce(state, ended({ runId: 'root', branchId: 'brn_root', depth: 0 })).toasts).toEqual([])
})

it('asks nothing any more once it has stopped', () => {
  const ask = { id: 'apr_1', runId: child, position: 1, of: 1 } as unknown as ApprovalRow
  const other = { ...ask, runId: root, position: 2 }
  const asking = {
    ...state,
    approvals: [
      { ...ask, of: 2 },
      { ...other, of: 2 },
    ],
  }
  expect(reduce(asking, ended({})).approvals).toEqual([{ ...other, position: 1 }])
})

it('knows for what the line waits, from whoever comes to it or stands first in it', () => {
  const queued = (seq: number, more: object) =>
    ended({ type: 'run.queued', seq, status: 'queued', report: null, position: 1, ...more })
  const own = reduce(state, queued(1, { from: 'waiting' }))
  expect(statusOf(own, own.runs[child]!).state).toBe('Queued (number 1 of 1)')
  const full = reduce(own, queued(2, { from: 'queued', line: 'process' }))
  expect([full.slots.line, full.queue]).toEqual(['process', [child]])
  expect(statusOf(full, full.runs[child]!)).toMatchObject({
    state: 'Queued',
    detail: 'every slot of its process is taken',
  })
  expect(reduce(full, queued(3, { from: 'queued' })).slots.line).toBe('conversation')
})

it('knows which reports a paused run holds that no request has read, until it goes on', () => {
  const now = (seq: number, type: string, more: object) =>
    ended({ type: `run.${type}`, seq, status: type, report: null, ...more })
  const paused = reduce(state, now(1, 'paused', { reason: 'budget', unreadReports: 2 }))
  expect(paused.runs[child]!.unreadReports).toBe(2)
  expect(statusOf(paused, paused.runs[child]!).detail).toBe('budget; 2 reports wait to be read')
  const queued = reduce(paused, now(2, 'queued', { from: 'paused' }))
  expect(queued.runs[child]).not.toHaveProperty('unreadReports')
  const again = reduce(queued, now(3, 'paused', { from: 'queued', reason: 'budget' }))
  expect(again.runs[child]).not.toHaveProperty('unreadReports')
})

it('needs a new snapshot for an old run that goes on', () => {
  const old = ended({ runId: 'old', type: 'run.queued', status: 'queued', from: 'paused' })
  expect(reduce(state, old)).toMatchObject({ isStale: true, seq: 0 })
})
