import fc from 'fast-check'
import { expect, test } from 'vitest'
import { choosePrey, type HuntTarget } from './terminate-processes.ts'
import type { ProcessEntry } from './process-table.ts'

/** A row of the process table; by default a group leader that started at `100`. */
function row(pid: number, more: Partial<ProcessEntry> = {}): ProcessEntry {
  return { pid, parentPid: 1, group: pid, session: pid, startTime: '100', zombie: false, ...more }
}

function chosen(table: readonly ProcessEntry[], target: HuntTarget, marked: readonly number[] = []) {
  const { processes, groups } = choosePrey(table, target, ({ pid }) => marked.includes(pid))
  return { pids: processes.map((each) => each.pid), groups: [...groups] }
}

test('a known pid with another start time is a different process', () => {
  const known = new Map([
    [50, '100'],
    [51, '100'],
  ])
  const table = [row(50, { startTime: '900' }), row(51), row(52, { parentPid: 50 }), row(53, { group: 50 })]
  expect(chosen(table, { known })).toEqual({ pids: [51], groups: [51] })
})

test('marked processes are chosen, and their descendants wherever they moved', () => {
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

test('a group is chosen with its leader, even a zombie leader', () => {
  const known = new Map([[50, '100']])
  const table = [row(50, { zombie: true }), row(51, { group: 50 }), row(52, { group: 49 })]
  expect(chosen(table, { known })).toEqual({ pids: [51], groups: [50] })
})

test('a group with unrelated members gets no group signal', () => {
  const table = [row(40), row(41, { group: 40 }), row(42, { group: 40 })]
  expect(chosen(table, {}, [41])).toEqual({ pids: [41], groups: [] })
})

test("the target's group is chosen even without its leader", () => {
  const table = [row(51, { group: 50 }), row(52, { group: 49 })]
  expect(chosen(table, { group: 50 })).toEqual({ pids: [51], groups: [50] })
})

test('neither the hunter nor the first process is ever chosen', () => {
  const own = row(process.pid, { parentPid: 50, group: 50 })
  const table = [row(1, { group: 0 }), row(50, { parentPid: 1 }), own]
  expect(chosen(table, {}, [1, 50, process.pid])).toEqual({ pids: [50], groups: [] })
})

/** A process table with arbitrary parents, groups and sessions. */
const tables = fc
  .uniqueArray(fc.integer({ min: 2, max: 60 }), { minLength: 1, maxLength: 30 })
  .chain((pids) => {
    const other = fc.constantFrom(1, ...pids)
    const entry = (pid: number) =>
      fc.record({
        pid: fc.constant(pid),
        parentPid: other,
        group: fc.constantFrom(pid, ...pids),
        session: other,
        startTime: fc.constantFrom('100', '200'),
        zombie: fc.boolean(),
      })
    return fc.tuple(...pids.map(entry))
  })

test('in any process table, only processes linked to the target are ended', () => {
  const subset = fc.array(fc.integer({ min: 2, max: 60 }), { maxLength: 4 })
  fc.assert(
    fc.property(tables, subset, subset, (table, marked, known) => {
      const target = { known: new Map(known.map((pid) => [pid, '100'])) }
      const { pids, groups } = chosen(table, target, marked)
      const isRoot = (each: ProcessEntry) =>
        marked.includes(each.pid) || (each.startTime === '100' && known.includes(each.pid))
      const ours = reached(table, table.filter(isRoot))
      expect(pids.every((pid) => ours.has(pid))).toBe(true)
      const theirs = table.filter((each) => !each.zombie && !ours.has(each.pid))
      expect(theirs.filter((each) => groups.includes(each.group))).toEqual([])
    }),
  )
})

/** Follows the links from each process to its children and group members, one at a time. */
function reached(table: readonly ProcessEntry[], roots: readonly ProcessEntry[]): Set<number> {
  const all = new Set<number>()
  const visit = ({ pid }: ProcessEntry) => {
    if (all.has(pid)) return
    all.add(pid)
    table.filter((each) => each.parentPid === pid || each.group === pid).forEach(visit)
  }
  roots.forEach(visit)
  return all
}
