import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ConversationId, RunId } from '../../core/ids.ts'
import { Scheduler, type SchedulerLimits } from './scheduler.ts'

const limits = { maxConcurrent: 2, globalConcurrent: 3, maxQueue: 2 }
const conversation = (name: string) => name as ConversationId
const run = (name: string) => name as RunId

function scheduler(more: Partial<SchedulerLimits> = {}) {
  const granted: string[] = []
  const told: string[] = []
  const it = new Scheduler({ ...limits, ...more }, undefined, ({ runId, conversationId }) => {
    told.push(`${runId} ${it.lineOf(conversationId)}`)
  })
  const ask = (name: string, where?: 'head' | 'end', of = 'a') =>
    it.request(
      { runId: run(name), conversationId: conversation(of), onGrant: () => granted.push(name) },
      where,
    )
  return { it, ask, granted, told, leave: (name: string) => it.release(run(name)) }
}

describe('a slot', () => {
  test('is granted while one is free; later runs queue and know their position', () => {
    const { it, ask, granted, leave } = scheduler()
    expect(['1', '2', '3', '4'].map((name) => ask(name))).toEqual(['granted', 'granted', 'queued', 'queued'])
    expect(['2', '3', '4'].map((name) => it.position(run(name)))).toEqual([undefined, 1, 2])
    leave('1')
    expect(granted).toEqual(['3'])
    expect(it.position(run('4'))).toBe(1)
    leave('4')
    leave('2')
    expect(granted).toEqual(['3'])
    expect(it.waiting(conversation('a'))).toEqual([])
  })

  test('goes first to runs whose wait is over, in the order in which they ended it', () => {
    const { ask, granted, leave } = scheduler({ maxConcurrent: 1 })
    ask('1')
    ask('new')
    ask('back', 'head')
    ask('back too', 'head')
    for (const name of ['1', 'back', 'back too']) leave(name)
    expect(granted).toEqual(['back', 'back too', 'new'])
  })

  test('is queued for per conversation or per process, and the first queued run is notified of a change', () => {
    const { it, ask, told, leave } = scheduler()
    for (const [name, of] of ['1a', '2a', '3b'].map((each) => [each, each.at(-1)!])) ask(name!, 'end', of)
    ask('4b', 'end', 'b')
    ask('5a')
    ask('6a')
    expect(it.queued(run('4b'))).toEqual({ position: 1, line: 'process' })
    expect(it.queued(run('5a'))).toEqual({ position: 1 })
    expect(it.queued(run('6a'))).toEqual({ position: 2 })
    expect(it.queued(run('1a'))).toEqual({})
    leave('1a') // the other conversation has waited longer for a slot of the process
    expect(it.holds(run('4b'))).toBe(true)
    expect(told).toEqual(['5a process'])
    leave('3b')
    expect(told).toEqual(['5a process', '6a conversation'])
    leave('2a')
    leave('6a')
    expect(told).toHaveLength(2)
  })

  test('stays with a run that asks for it again', () => {
    const { ask, granted, leave } = scheduler({ maxConcurrent: 1 })
    expect([ask('1'), ask('1', 'head'), ask('2')]).toEqual(['granted', 'granted', 'queued'])
    leave('1')
    leave('1')
    expect(granted).toEqual(['2'])
  })

  test('in another conversation is limited only by the whole process', () => {
    const { ask, granted, leave } = scheduler()
    expect([ask('1'), ask('2'), ask('3', 'end', 'b'), ask('4', 'end', 'b')]).toEqual([
      'granted',
      'granted',
      'granted',
      'queued',
    ])
    leave('1')
    expect(granted).toEqual(['4'])
  })
})

test('the queue is full at its limit, and never while a slot is free', () => {
  const { it, ask } = scheduler()
  const full = () => it.isFull(conversation('a'))
  const seen = ['1', '2', '3', '4'].map((name) => (ask(name), full()))
  expect(seen).toEqual([false, false, false, true])
  const none = scheduler({ maxQueue: 0, maxConcurrent: 1 })
  expect(none.it.isFull(conversation('a'))).toBe(false)
  none.ask('1')
  expect(none.it.isFull(conversation('a'))).toBe(true)
})

const step = fc.oneof(
  fc.record({
    verb: fc.constant('ask' as const),
    of: fc.constantFrom('a', 'b'),
    where: fc.constantFrom('head' as const, 'end' as const),
  }),
  fc.record({ verb: fc.constant('leave' as const), which: fc.nat(30) }),
)
const sizes = fc.record({
  maxConcurrent: fc.integer({ min: 1, max: 4 }),
  globalConcurrent: fc.integer({ min: 1, max: 5 }),
})

test('any sequence of requests and releases respects limits and order and loses no grant', () => {
  const property = fc.property(sizes, fc.array(step, { maxLength: 80, size: 'max' }), (size, steps) => {
    const it = new Scheduler({ ...size, maxQueue: 200 })
    const running = new Map<string, string>()
    const lines: Record<string, { name: string; where: string }[]> = { a: [], b: [] }
    let asking = false
    const onGrant = (name: string, of: string) => {
      expect(asking).toBe(false) // never before `request` has returned
      expect(lines[of]!.shift()!.name).toBe(name) // first in, first out, heads first
      running.set(name, of)
    }
    steps.forEach((each, at) => {
      const name = `${at}`
      if (each.verb === 'ask') {
        const { of, where } = each
        asking = true
        const conversationId = conversation(of)
        const answer = it.request(
          { runId: run(name), conversationId, onGrant: () => onGrant(name, of) },
          where,
        )
        asking = false
        if (answer === 'granted') {
          if (where === 'end') expect(lines[of]).toEqual([])
          running.set(name, of)
        } else {
          const line = lines[of]!
          const heads = line.filter((other) => other.where === 'head').length
          line.splice(where === 'head' ? heads : line.length, 0, { name, where })
        }
      } else {
        const left = `${each.which}`
        running.delete(left)
        for (const line of Object.values(lines)) {
          const at = line.findIndex((other) => other.name === left)
          if (at >= 0) line.splice(at, 1)
        }
        it.release(run(left))
        it.release(run(left))
      }
      const own = (of: string) => [...running.values()].filter((other) => other === of).length
      expect(running.size).toBeLessThanOrEqual(size.globalConcurrent)
      for (const of of ['a', 'b']) {
        expect(own(of)).toBeLessThanOrEqual(size.maxConcurrent)
        expect(it.waiting(conversation(of))).toEqual(lines[of]!.map((other) => other.name))
        const free = own(of) < size.maxConcurrent && running.size < size.globalConcurrent
        if (free) expect(lines[of]).toEqual([])
      }
      for (const name of running.keys()) expect(it.holds(run(name))).toBe(true)
    })
  })
  fc.assert(property, { numRuns: 500 })
})
