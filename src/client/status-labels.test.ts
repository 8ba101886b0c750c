import { expect, it } from 'vitest'
import { runRow } from '../../test/support/view-state.ts'
import { stateMark, stateWords } from './status-labels.ts'

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
