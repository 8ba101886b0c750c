import { describe, expect, it } from 'vitest'
import { branchRow, runRow, viewState } from '../../test/support/view-state.ts'
import type { BranchId } from '../core/ids.ts'
import type { ApprovalRow, QuestionRow } from '../protocol/approvals-and-questions.ts'
import { asksBelow, badge, budgetLeft, runGroups } from './run-status-groups.ts'

const approval = (id: string, branchId: string, runId: string, requestedAt: number) =>
  ({ id, branchId, runId, requestedAt }) as ApprovalRow
const question = (id: string, branchId: string, runId: string, askedAt: number) =>
  ({ id, branchId, runId, askedAt }) as QuestionRow

const state = viewState({
  branches: [branchRow('brn_main'), branchRow('brn_r1'), branchRow('brn_r2', { parentBranchId: 'brn_r1' })],
  runs: [
    runRow('run_0', { depth: 0, branchId: 'brn_main' as BranchId }),
    runRow('r1'),
    runRow('r2', { status: 'waiting' }),
    runRow('r3', { status: 'waiting' }),
    runRow('r4', { status: 'queued', queuePosition: 2 }),
    runRow('r5', { status: 'queued', queuePosition: 1 }),
    runRow('r6', { status: 'paused', endedAt: 4 }),
    runRow('r7', { status: 'completed', endedAt: 5 }),
    runRow('r8', { status: 'failed', endedAt: 6 }),
    runRow('r9', { status: 'cancelled', endedAt: 6, branchId: 'brn_r8' as BranchId }),
  ],
  approvals: [approval('apr_1', 'brn_r2', 'r2', 9)],
  questions: [question('que_1', 'brn_r3', 'r3', 8)],
})

describe('the runs of a conversation', () => {
  it('are grouped by what is to be done, the latest of each branch', () => {
    const groups = runGroups(state)
    const ids = Object.fromEntries(
      Object.entries(groups).map(([name, runs]) => [name, runs.map(({ id }) => id)]),
    )
    expect(ids).toEqual({
      needsYou: ['r3', 'r2'],
      running: ['r1'],
      queued: ['r5', 'r4'],
      paused: ['r6'],
      done: ['r9', 'r7'],
    })
    expect(badge(groups)).toEqual({ needsYou: 2, running: 1 })
  })

  it('have the main agent among them while it asks', () => {
    const asking = { ...state, approvals: [approval('apr_2', 'brn_main', 'run_0', 1)] }
    expect(runGroups(asking).needsYou.map(({ id }) => id)).toEqual(['run_0', 'r3'])
  })
})

it.each([
  ['running', ['running']],
  ['queued', ['queued']],
  ['paused', ['paused']],
  ['failed', ['done']],
  ['completed', []],
  ['cancelled', []],
] as const)('a fork whose run is %s is in the groups %j', (status, expected) => {
  const groups = runGroups(
    viewState({
      branches: [branchRow('brn_main'), branchRow('brn_f', { kind: 'fork' })],
      runs: [
        runRow('run_0', { depth: 0, branchId: 'brn_main' as BranchId, status }),
        runRow('run_1', { depth: 0, branchId: 'brn_f' as BranchId, status }),
      ],
    }),
  )
  const found = Object.entries(groups).filter(([, runs]) => runs.length > 0)
  expect(found.map(([name]) => name)).toEqual(expected)
  expect(found.flatMap(([, runs]) => runs.map(({ id }) => id))).toEqual(expected.map(() => 'run_1'))
})

it('what is asked is seen from every branch above', () => {
  const seen = (id: string) => asksBelow(state, id as BranchId).approvals.map((ask) => ask.id)
  expect(['brn_main', 'brn_r1', 'brn_r2', 'brn_r3'].map(seen)).toEqual([['apr_1'], ['apr_1'], ['apr_1'], []])
})

it.each([
  [{ usd: 2, tokens: 100 }, 0.5, { usd: 1.5, tokens: 70 }],
  [{ usd: 2, tokens: 10 }, 3, { usd: 0, tokens: 0 }],
  [{ usd: null, tokens: null }, 3, { usd: null, tokens: null }],
  [{ usd: 2, tokens: 100 }, null, { usd: null, tokens: 70 }],
])('what is left of %j after %s', (budget, costUsd, left) => {
  const usage = { ...state.totals.usage, input: 20, output: 10 }
  expect(budgetLeft({ budget, totals: { ...state.totals, usage, costUsd } })).toEqual(left)
})
