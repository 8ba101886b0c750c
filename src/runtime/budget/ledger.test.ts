import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AccountFacts } from './account-tree.ts'
import { Ledger } from './ledger.ts'

const facts = (more: Partial<AccountFacts>): AccountFacts => ({
  parent: null,
  cap: null,
  growsTo: null,
  isOpen: true,
  ...more,
})

test('an open account holds its cap, and its rest goes back when it stops', () => {
  const ledger = new Ledger(10)
  ledger.know('main', facts({}))
  ledger.know('a', facts({ parent: 'main', cap: 4 }))
  ledger.spend('a', 1)
  expect([ledger.free(null), ledger.room('main'), ledger.room('a')]).toEqual([6, 6, 3])
  expect([ledger.reservedBy('a'), ledger.reservedBelow('main')]).toEqual([3, 3])
  ledger.know('a', facts({ parent: 'main', cap: 4, isOpen: false }))
  expect([ledger.free(null), ledger.reservedBelow('main'), ledger.used('main')]).toEqual([9, 0, 1])
})

test('what is nested comes out of the account above it, also while that one has stopped', () => {
  const ledger = new Ledger(10)
  ledger.know('a', facts({ cap: 6 }))
  ledger.know('b', facts({ parent: 'a', cap: 4 }))
  expect([ledger.room('a'), ledger.free('a'), ledger.free(null)]).toEqual([2, 2, 4])
  ledger.hold('b', 3)
  expect([ledger.room('a'), ledger.room('b'), ledger.free(null)]).toEqual([2, 1, 4])
  ledger.know('a', facts({ cap: 6, isOpen: false }))
  expect([ledger.room('a'), ledger.room('b'), ledger.free(null)]).toEqual([6, 1, 6])
})

test('a share grows out of what is free above it, up to its limit, and leaves a part of the whole', () => {
  const ledger = new Ledger(10)
  ledger.know('a', facts({ cap: 1, growsTo: 4 }))
  ledger.know('b', facts({ cap: 7 }))
  expect([ledger.room('a'), ledger.keptAbove('a'), ledger.keptAbove('b')]).toEqual([2.5, 0.5, 0])
  ledger.hold('a', 2.5)
  expect([ledger.capOf('a'), ledger.free(null)]).toEqual([2.5, 0.5])
  expect(ledger.mostRoom('a', new Set())).toBe(2.5)
  expect(ledger.mostRoom('a', new Set('b'))).toBe(9.5)
})

test('a share outgrows its limit where nobody else can go on, and gives back what it does not spend', () => {
  const ledger = new Ledger(100)
  ledger.know('a', facts({ cap: 25, growsTo: 25 }))
  ledger.know('b', facts({ parent: 'a', cap: 5, growsTo: 6 }))
  expect([ledger.room('b'), ledger.room('b', true)]).toEqual([6, 95])
  ledger.hold('b', 60)
  expect([ledger.capOf('a'), ledger.capOf('b'), ledger.free(null)]).toEqual([60, 60, 40])
  ledger.release('b', 60)
  ledger.spend('b', 30)
  ledger.giveBack('b')
  expect([ledger.capOf('a'), ledger.capOf('b'), ledger.free(null)]).toEqual([30, 30, 70])
  ledger.know('c', facts({ cap: 8, growsTo: 25 }))
  ledger.giveBack('c', true)
  expect([ledger.capOf('c'), ledger.free(null), ledger.room('c')]).toEqual([0, 70, 25])
})

test('a whole that has been made smaller lets nothing begin that it does not have', () => {
  const ledger = new Ledger(10)
  ledger.know('a', facts({ cap: 6 }))
  ledger.spend('a', 2)
  ledger.cap = 3
  expect([ledger.room('a'), ledger.free(null)]).toEqual([1, 0])
})

const names = ['a', 'b', 'c', 'd', 'e', 'f']
const step = fc.record({
  does: fc.constantFrom('begin', 'hold', 'end', 'stop', 'again', 'idle'),
  who: fc.nat(names.length - 1),
  above: fc.nat(names.length - 1),
  part: fc.double({ min: 0, max: 1, noNaN: true }),
  isShare: fc.boolean(),
  beyond: fc.boolean(),
})

test('B1: whatever begins, asks, stops and goes on, what is spent, held and reserved is never more than there is', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 100 }), (steps, cap) => {
      const ledger = new Ledger(cap)
      const known = new Map<string, AccountFacts>()
      const held = new Map<string, number[]>()
      let spent = 0
      for (const { does, who, above, part, isShare, beyond } of steps) {
        const id = names[who]!
        const before = known.get(id)
        const parent = above < who && known.has(names[above]!) ? names[above]! : null
        if (does === 'begin' && !before) {
          const free = ledger.free(parent)!
          known.set(id, facts({ parent, cap: free * part, growsTo: isShare ? cap / 4 : null }))
        }
        if (does === 'stop' && before && !held.get(id)?.length) known.set(id, { ...before, isOpen: false })
        if (does === 'again' && before && !before.isOpen)
          known.set(id, {
            ...before,
            isOpen: true,
            cap: ledger.committed(id) + ledger.free(before.parent)! * part,
          })
        const now = known.get(id)
        if (now && now !== before) ledger.know(id, now)
        if (does === 'hold' && now?.isOpen) {
          const amount = ledger.room(id, beyond) * part
          ledger.hold(id, amount)
          held.set(id, [...(held.get(id) ?? []), amount])
        }
        const amount = does === 'end' ? held.get(id)?.pop() : undefined
        if (amount !== undefined) {
          ledger.release(id, amount)
          ledger.spend(id, amount * part)
          spent += amount * part
          ledger.giveBack(id)
        }
        if (does === 'idle' && now?.isOpen) ledger.giveBack(id, true)
        for (const [each, facts] of known) known.set(each, { ...facts, cap: ledger.capOf(each) })
        expect(spent + ledger.reservedBelow(null)).toBeLessThanOrEqual(cap + 1e-6)
        expect(ledger.spent).toBeCloseTo(spent)
        for (const each of known.keys()) expect(ledger.room(each)).toBeGreaterThanOrEqual(0)
      }
    }),
    { numRuns: 500 },
  )
})
