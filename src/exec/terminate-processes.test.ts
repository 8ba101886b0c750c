import { expect, test } from 'vitest'
import { choosePrey, type HuntTarget } from './terminate-processes.ts'
import type { ProcessEntry } from './process-table.ts'

/** A row of the process table; a leader of a group of its own that started at `100` unless told otherwise. */
function row(pid: number, more: Partial<ProcessEntry> = {}): ProcessEntry {
  return { pid, parentPid: 1, group: pid, session: pid, startTime: '100', zombie: false, ...more }
}

function chosen(table: readonly ProcessEntry[], target: HuntTarget, marked: readonly number[] = []) {
  const { processes, groups } = choosePrey(table, target, (pid) => marked.includes(pid))
  return { pids: processes.map((each) => each.pid), groups: [...groups] }
}

test('a process with a known pid and another start time is somebody else', () => {
  const known = new Map([
    [50, '100'],
    [51, '100'],
  ])
  const table = [row(50, { startTime: '900' }), row(51), row(52, { parentPid: 50 }), row(53, { group: 50 })]
  expect(chosen(table, { known })).toEqual({ pids: [51], groups: [51] })
})

test('what carries the mark belongs, with its descendants wherever they went', () => {
  const table = [
    row(50),
    row(51, { parentPid: 50, group: 50 }),
    row(52, { parentPid: 51 }),
    row(53, { parentPid: 52 }),
    row(60),
    row(61, { parentPid: 60, group: 60 }),
  ]
  expect(chosen(table, {}, [50])).toEqual({ pids: [50, 51, 52, 53], groups: [50, 52, 53] })
  expect(chosen(table, {})).toEqual({ pids: [], groups: [] })
})

test('a group belongs with its leader, even one that nobody has waited for yet', () => {
  const known = new Map([[50, '100']])
  const table = [row(50, { zombie: true }), row(51, { group: 50 }), row(52, { group: 49 })]
  expect(chosen(table, { known })).toEqual({ pids: [51], groups: [50] })
})

test('a group that others are in gets no signal as a whole', () => {
  const table = [row(40), row(41, { group: 40 }), row(42, { group: 40 })]
  expect(chosen(table, {}, [41])).toEqual({ pids: [41], groups: [] })
})

test('the group that was asked for belongs without its leader', () => {
  const table = [row(51, { group: 50 }), row(52, { group: 49 })]
  expect(chosen(table, { group: 50 })).toEqual({ pids: [51], groups: [50] })
})

test('neither the hunter nor the first process is ever chosen', () => {
  const own = row(process.pid, { parentPid: 50, group: 50 })
  const table = [row(1, { group: 0 }), row(50, { parentPid: 1 }), own]
  expect(chosen(table, {}, [1, 50, process.pid])).toEqual({ pids: [50], groups: [] })
})
