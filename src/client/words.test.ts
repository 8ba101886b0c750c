import { expect, it } from 'vitest'
import { runRow } from '../../test/support/view-state.ts'
import { agoWords, costWords, durationWords, stateMark, stateWords, tokenWords } from './words.ts'

it.each([
  [{ status: 'completed' }, 'Done', '✓'],
  [{ status: 'queued' }, 'Queued', '⧗'],
  [{ status: 'queued', queuePosition: 2 }, 'Queued (2nd)', '⧗'],
  [{ status: 'queued', queuePosition: 11 }, 'Queued (11th)', '⧗'],
  [{ status: 'queued', queuePosition: 123 }, 'Queued (123rd)', '⧗'],
  [{ status: 'running' }, 'Running', '◐'],
  [{ status: 'running', pausing: 'user' }, 'Running, about to pause', '◐'],
  [{ status: 'waiting', reason: 'approval' }, 'Waiting for you', '⚑'],
  [{ status: 'waiting', reason: 'children' }, 'Waiting for subagents', '◌'],
  [{ status: 'waiting', reason: 'retry' }, 'Waiting for the provider', '◌'],
  [{ status: 'paused', reason: 'user', endReason: 'user' }, 'Paused (by you)', '⏸'],
  [{ status: 'paused', reason: 'limit', endReason: 'max_turns' }, 'Paused (limit: max turns)', '⏸'],
  [{ status: 'paused', reason: 'budget', endReason: 'budget' }, 'Paused (budget)', '⏸'],
  [{ status: 'failed' }, 'Failed', '✗'],
  [{ status: 'cancelled' }, 'Cancelled', '⊘'],
] as const)('%j is %s', (run, words, mark) => {
  expect([stateWords(runRow('r', run)), stateMark(runRow('r', run))]).toEqual([words, mark])
})

it.each([
  [durationWords(-5), '0s'],
  [durationWords(59_999), '59s'],
  [durationWords(187_000), '3m07s'],
  [durationWords(7_500_000), '2h05m'],
  [costWords(null), 'cost unknown'],
  [costWords(0), '$0'],
  [costWords(0.0001), '<$0.001'],
  [costWords(0.0124), '$0.012'],
  [costWords(4.256), '$4.26'],
  [tokenWords(950), '950'],
  [tokenWords(1_249), '1.2k'],
  [tokenWords(17_600), '18k'],
  [tokenWords(999_600), '1.0M'],
  [agoWords(10, 5), 'just now'],
  [agoWords(0, 3 * 60_000), '3m ago'],
  [agoWords(0, 5 * 3_600_000), '5h ago'],
  [agoWords(0, 50 * 3_600_000), '2d ago'],
])('%s', (words, expected) => expect(words).toBe(expected))
