import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ephemeralTypes, eventSchemas, isEphemeral, parseEvent, type EventType } from './events.ts'
import { base, payloads } from './fixtures/events.ts'

/** Every event, in the order of docs/events.md. */
const named = `conversation.created branch.created message.appended message.completed part.started part.delta
  part.completed run.queued run.started run.progress run.waiting run.paused run.completed run.failed run.cancelled
  tool.started tool.completed tool.failed tool.denied approval.requested approval.answered question.asked
  question.answered run.resumed run.backgrounded turn.completed tool.output tool.unknown tool.skipped
  context.compacted conversation.updated conversation.deleted inbox.added inbox.updated inbox.delivered
  inbox.withdrawn inbox.empty usage.updated report.delivered`.split(/\s+/)

const types = Object.keys(eventSchemas) as EventType[]
const sample = (type: EventType) => ({ type, ...base, ...payloads[type] })

test('every event that is named has a schema, and no other', () => {
  expect(types.toSorted()).toEqual(named.toSorted())
})

describe.each(types)('%s', (type) => {
  test('comes back from JSON as it was', () => {
    expect(parseEvent(JSON.parse(JSON.stringify(sample(type))))).toEqual(sample(type))
  })

  test('keeps fields that a newer program added', () => {
    expect(parseEvent({ ...sample(type), later: { a: [1] } })).toMatchObject({ later: { a: [1] } })
  })

  test.each(Object.keys(base))('is refused without %s', (field) => {
    const { [field]: _, ...rest } = sample(type) as Record<string, unknown>
    expect(() => parseEvent(rest)).toThrow(z.ZodError)
  })

  test.each(Object.keys(payloads[type]))('is refused when %s has a wrong type', (field) => {
    if (field === 'input')
      return expect(parseEvent({ ...sample(type), input: 1 })).toMatchObject({ input: 1 })
    expect(() => parseEvent({ ...sample(type), [field]: Number.NaN })).toThrow(z.ZodError)
  })
})

describe('what is no event of ours', () => {
  test.each(['run.exploded', '', 'Run.started', 'constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'the type %j is refused and named',
    (type) => {
      expect(() => parseEvent({ ...sample('run.started'), type })).toThrow(`unknown event ${type}`)
    },
  )

  test('anything at all is either an event or a ZodError', () => {
    const nearly = fc.oneof(
      fc.anything(),
      fc.record({ type: fc.oneof(fc.constantFrom(...types), fc.string()), seq: fc.anything() }),
      fc
        .tuple(fc.constantFrom(...types), fc.constantFrom(...Object.keys(base)), fc.anything())
        .map(([type, field, value]) => ({ ...sample(type), [field]: value })),
    )
    fc.assert(
      fc.property(nearly, (value) => {
        try {
          expect(parseEvent(value)).toHaveProperty('type')
        } catch (error) {
          expect(error).toBeInstanceOf(z.ZodError)
        }
      }),
    )
  })

  test.each([
    ['seq', -1],
    ['seq', 1.5],
    ['sub', 0],
    ['at', -1],
    ['depth', -1],
    ['runId', 'brn_01ARYZ6S410000000000000000'],
    ['branchId', 'brn_1'],
    ['conversationId', null],
  ])('%s %j is refused', (field, value) => {
    expect(() => parseEvent({ ...sample('run.started'), [field]: value })).toThrow(z.ZodError)
  })
})

test('the ids of branch and run are null where there is none', () => {
  const event = { ...sample('conversation.created'), branchId: null, runId: null }
  expect(parseEvent(event)).toEqual(event)
})

test('live events are known, and carry a sub number', () => {
  expect(types.filter(isEphemeral).toSorted()).toEqual([...ephemeralTypes].toSorted())
  expect(
    ['part.delta', 'tool.output', 'run.progress'].filter((type) => !isEphemeral(type as EventType)),
  ).toEqual([])
  expect(isEphemeral('run.completed')).toBe(false)
  for (const type of ephemeralTypes) expect(parseEvent({ ...sample(type), sub: 3 })).toMatchObject({ sub: 3 })
})
