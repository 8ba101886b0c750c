import { expect, test } from 'vitest'
import { state, type RunState } from '../run-status.ts'
import { leftPausedBelow, leftPausedByBranch, pausedBelow, pausedFact } from './paused-below.ts'

function run(id: string, branchId: string, parentRunId: string | null, to: RunState) {
  return { ...to, id, branchId, parentRunId, agent: 'general', description: `task ${branchId}` }
}

const runs = [
  run('1', 'main', null, state.completed),
  run('2', 'a', '1', state.paused('user')),
  run('3', 'b', '1', state.completed),
  run('4', 'c', '3', state.paused('max_turns')),
  run('5', 'a', '1', state.completed),
  run('6', 'main', null, state.completed),
  run('7', 'd', '6', state.paused('parent')),
]
const ids = (found: readonly { id: string }[]) => found.map(({ id }) => id)

test('what is paused is found at any depth, by the latest run of its branch', () => {
  expect(ids(pausedBelow(runs, ({ id }) => id === '1'))).toEqual(['4'])
  expect(ids(pausedBelow(runs, ({ branchId }) => branchId === 'main'))).toEqual(['4', '7'])
  expect(ids(pausedBelow(runs, ({ branchId }) => branchId === 'b'))).toEqual(['4'])
  expect(pausedBelow(runs, ({ branchId }) => branchId === 'c')).toEqual([])
})

test('a parent that is not known, or a circle, ends the way up', () => {
  const odd = [
    run('1', 'a', '9', state.paused('user')),
    run('2', 'b', '3', state.paused('user')),
    run('3', 'c', '2', state.completed),
  ]
  expect(ids(pausedBelow(odd, ({ branchId }) => branchId === 'c'))).toEqual(['2'])
  expect(pausedBelow(odd, ({ branchId }) => branchId === 'main')).toEqual([])
})

test('what is left is told of a branch that has stopped; what stopped with it goes on with it', () => {
  const left = (to: RunState) =>
    ids(leftPausedBelow([...runs, run('8', 'main', null, to)], (each) => each.branchId === 'main'))
  expect(left(state.completed)).toEqual(['4', '7'])
  expect(left(state.failed)).toEqual(['4', '7'])
  expect(left(state.paused('user'))).toEqual(['4'])
  expect(left(state.running)).toEqual([])
  expect(leftPausedBelow([], () => true)).toEqual([])
})

test('the same is told of each branch', () => {
  expect([...leftPausedByBranch(runs)].map(([branchId, left]) => [branchId, ids(left)])).toEqual([
    ['b', ['4']],
    ['main', ['4', '7']],
  ])
  expect(leftPausedByBranch([...runs, run('8', 'main', null, state.running)]).has('main')).toBe(false)
})

test('its words name who, what, why and the command', () => {
  expect(pausedFact(runs[3]!)).toBe('subagent general (task c) is paused (limit)')
})
