import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CallId, PartId } from '../core/ids.ts'
import type { ToolCallPart, ToolResultPart } from '../core/message.ts'
import { Repeats } from './repeats.ts'

const LONGEST = 4

/** A call by its input, and what came of it. */
type Step = readonly [input: string, result: string]

function call(input: string): ToolCallPart {
  return {
    id: 'prt_1' as PartId,
    type: 'tool-call',
    callId: 'cal_1' as CallId,
    tool: 'look',
    input: { input },
  }
}

function result(text: string): ToolResultPart {
  return {
    id: 'prt_2' as PartId,
    type: 'tool-result',
    callId: 'cal_1' as CallId,
    tool: 'look',
    status: 'completed',
    output: { text },
  }
}

/** By its definition: the last `max` rounds of some period are the same, and the call comes next. */
function isNextOfCircle(before: readonly Step[], input: string, max: number): boolean {
  return Array.from({ length: LONGEST }, (_, at) => at + 1).some((period) => {
    const rounds = before.slice(-period * max)
    if (rounds.length < period * max) return false
    const isSame = rounds.every(([a, b], at) => {
      const [first, second] = rounds[at % period]!
      return a === first && b === second
    })
    return isSame && rounds[0]![0] === input
  })
}

/** How many calls are run before one is not. */
function ranOf(steps: Iterable<Step>, max: number): number {
  const repeats = new Repeats(max)
  let ran = 0
  for (const [input, text] of steps) {
    repeats.begins(call(input))
    if (repeats.isCircle(call(input))) return ran
    repeats.ended(call(input), result(text))
    ran++
  }
  return ran
}

const max = fc.integer({ min: 2, max: 6 })
const name = fc.constantFrom('a', 'b', 'c')
const step = fc.tuple(name, fc.constantFrom('1', '2'))
/** Steps that often repeat themselves, and often not quite. */
const mixed = fc
  .array(fc.tuple(fc.array(step, { minLength: 1, maxLength: 5 }), fc.integer({ min: 1, max: 8 })), {
    maxLength: 5,
  })
  .map((blocks) => blocks.flatMap(([block, times]) => Array.from({ length: times }, () => block).flat()))

describe('a circle', () => {
  it('is what its definition says, and nothing else', () => {
    fc.assert(
      fc.property(mixed, max, (steps, max) => {
        const ran = steps.findIndex(([input], at) => isNextOfCircle(steps.slice(0, at), input, max))
        expect(ranOf(steps, max)).toBe(ran < 0 ? steps.length : ran)
      }),
      { numRuns: 500 },
    )
  })

  it('of one to four calls ends after at most `max` rounds, whatever came before', () => {
    const round = fc.array(step, { minLength: 1, maxLength: LONGEST })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), round, max, (before, round, max) => {
        const steps = [...before, ...Array.from({ length: max + 2 }, () => round).flat()]
        expect(ranOf(steps, max)).toBeLessThanOrEqual(before.length + round.length * max)
      }),
    )
  })

  it('is none where every result differs', () => {
    fc.assert(
      fc.property(fc.array(name, { maxLength: 60 }), max, (names, max) => {
        expect(
          ranOf(
            names.map((input, at): Step => [input, String(at)]),
            max,
          ),
        ).toBe(names.length)
      }),
    )
  })

  it('is none where one result in each round differs, or the order does', () => {
    const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 2, maxLength: 4 })
    fc.assert(
      fc.property(names, max, fc.nat(), (round, max, at) => {
        const differing = Array.from({ length: 10 }, (_, nth) =>
          round.map((input, i): Step => [input, i === at % round.length ? String(nth) : 'same']),
        ).flat()
        expect(ranOf(differing, max)).toBe(differing.length)
      }),
    )
    const turned = ['a', 'b', 'c', 'a', 'c', 'b'].map((input): Step => [input, 'same'])
    expect(ranOf(Array.from({ length: 9 }, () => turned).flat(), 2)).toBe(54)
  })

  it('needs the results of what is under way only where the calls alone may be one', () => {
    fc.assert(
      fc.property(mixed, max, (steps, max) => {
        const repeats = new Repeats(max)
        for (const [at, [input]] of steps.entries()) {
          const named = steps.slice(0, at).map(([each]): Step => [each, ''])
          if (isNextOfCircle(named, input, max)) expect(repeats.begins(call(input))).toBe(true)
          else repeats.begins(call(input))
        }
      }),
    )
  })

  it('is warned of once, and anew in another', () => {
    const repeats = new Repeats(2)
    const said: (string | undefined)[] = []
    for (const input of ['a', 'b', 'a', 'b', 'c', 'd', 'c', 'd', 'x']) {
      repeats.ended(call(input), result('same'))
      said.push(repeats.warning())
    }
    expect(said.flatMap((text, at) => (text === undefined ? [] : [at]))).toEqual([3, 7])
    expect(said[3]).toBe(
      'Your last 4 calls were the same 2 calls 2 times, with the same results each time. The next such call ends your work: do something else, or conclude with what you have.',
    )
  })
})
