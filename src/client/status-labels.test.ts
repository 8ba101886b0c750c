import { expect, it } from 'vitest'
import type { BranchId } from '../core/ids.ts'
import { branchRow, runRow, viewState } from '../../test/support/view-state.ts'
import { stateMark, stateWords, statusOf } from './status-labels.ts'

it.each([
  [{ status: 'completed' }, 'Done', '✓'],
  [{ status: 'queued' }, 'Queued', '⧗'],
  [{ status: 'queued', queuePosition: 2 }, 'Queued (number 2)', '⧗'],
  [{ status: 'running' }, 'Running', '◐'],
  [{ status: 'running', pausing: 'user' }, 'Pausing', '◐'],
  [{ status: 'waiting', reason: 'approval' }, 'Waiting for you', '⚑'],
  [{ status: 'waiting', reason: 'children' }, 'Waiting for subagents', '◌'],
  [{ status: 'waiting', reason: 'retry' }, 'Waiting for the provider', '◌'],
  [{ status: 'paused', reason: 'user', endReason: 'user' }, 'Paused (by you)', '⏸'],
  [{ status: 'failed' }, 'Failed', '✗'],
  [{ status: 'cancelled' }, 'Cancelled', '⊘'],
] as const)('%j is %s', (run, words, mark) => {
  expect([stateWords(runRow('r', run)), stateMark(runRow('r', run))]).toEqual([words, mark])
})

it('a paused run says which reports no request has read', () => {
  const branchId = 'brn_main' as BranchId
  const run = runRow('r', {
    branchId,
    status: 'paused',
    reason: 'budget',
    endReason: 'budget',
    unreadReports: 2,
  })
  const state = viewState({ runs: [run], branches: [branchRow(branchId)] })
  expect(statusOf(state, run).detail).toBe('budget; 2 reports wait to be read')
  expect(statusOf(state, { ...run, id: 'other' as never }).detail).toBe('budget')
})
