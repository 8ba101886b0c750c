import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { foldCalls, foldResults, innerCalls, MAX_INNER_CALLS } from './inner-calls.ts'
import type { NewId } from './ids.ts'
import type { Json } from './json.ts'
import { callsOf, type Part, type ToolCallPart, type ToolResultPart } from './message.ts'

const counted = (): NewId => {
  let n = 0
  return (prefix) => `${prefix}_${++n}` as never
}
const outer = (input: Json, more: Partial<ToolCallPart> = {}): ToolCallPart => ({
  id: 'prt_o' as never,
  type: 'tool-call',
  callId: 'cal_o' as never,
  tool: 'use_tool',
  input,
  ...more,
})
const expand = (input: Json, more?: Partial<ToolCallPart>) => innerCalls(outer(input, more), counted())
const result = (
  call: ToolCallPart,
  status: ToolResultPart['status'],
  text: string,
  more = {},
): ToolResultPart => ({
  id: `prt_of_${call.callId}` as never,
  type: 'tool-result',
  callId: call.callId,
  tool: call.tool,
  status,
  output: { text, ...more },
})

describe('a call of use_tool', () => {
  it('stands for the calls in it: the first in its place, with what the provider signed', () => {
    const metadata = { google: { thoughtSignature: 'x' } }
    const calls = expand(
      {
        calls: [
          { toolset: 'crm', tool: 'get', params: { id: 1 } },
          { agent: 'mail', tool: 'send', params: '{"to":"a"}', context: 'x', goal: 'y', memory: [] },
          { tool: 'list' },
        ],
        goal: 'ignored',
      },
      { metadata },
    )
    expect(calls).toEqual([
      {
        id: 'prt_o',
        callId: 'cal_o',
        type: 'tool-call',
        tool: 'get',
        input: { id: 1 },
        via: { index: 0, toolset: 'crm' },
        metadata,
      },
      {
        id: 'prt_1',
        callId: 'cal_2',
        type: 'tool-call',
        tool: 'send',
        input: { to: 'a' },
        via: { index: 1, toolset: 'mail' },
      },
      { id: 'prt_3', callId: 'cal_4', type: 'tool-call', tool: 'list', input: {}, via: { index: 2 } },
    ])
    expect(foldCalls(calls)).toEqual([
      outer(
        {
          calls: [
            { toolset: 'crm', tool: 'get', params: { id: 1 } },
            { toolset: 'mail', tool: 'send', params: { to: 'a' } },
            { tool: 'list', params: {} },
          ],
        },
        { metadata },
      ),
    ])
  })

  it.each<[string, Json]>([
    ['no list', { tool: 'get' }],
    ['an empty list', { calls: [] }],
    ['text that is none', { calls: '[{"tool":' }],
    ['too many', { calls: Array.from({ length: MAX_INNER_CALLS + 1 }, () => ({ tool: 'get' })) }],
  ])('stays itself with %s', (_, input) => {
    expect(expand(input)).toEqual([outer(input)])
  })

  it('stays itself where it was no JSON', () => {
    const call = outer({ calls: [{ tool: 'get' }] }, { invalid: '{"calls":' })
    expect(innerCalls(call, counted())).toEqual([call])
  })

  it.each<[string, Json]>([
    ['a list as text', { calls: '[{"tool":"get"}]' }],
    ['one call without a list', { calls: { tool: 'get' } }],
  ])('may be %s', (_, input) => {
    expect(expand(input)).toMatchObject([{ tool: 'get', input: {}, via: { index: 0 } }])
  })

  it.each<[string, Json]>([
    ['no object', 'get'],
    ['without a name', { toolset: 'crm', params: {} }],
    ['with a name that is none', { tool: 7 }],
    ['of use_tool itself', { tool: 'useTool', params: { calls: [{ tool: 'get' }] } }],
    ['in two toolsets', { toolset: 'crm', agent: 'mail', tool: 'get' }],
    ['in a toolset that is no name', { toolset: ['crm'], tool: 'get' }],
  ])('keeps one %s as a call of use_tool that holds it alone', (_, entry) => {
    const calls = expand({ calls: [{ tool: 'get' }, entry] })
    expect(calls[1]).toMatchObject({ tool: 'use_tool', input: { calls: [entry] }, via: { index: 1 } })
    expect(foldCalls(calls)).toMatchObject([{ input: { calls: [{ tool: 'get' }, entry] } }])
  })

  it.each<[string, Json, string]>([
    ['a list', [1], '[1]'],
    ['text', '{"id":', '{"id":'],
    ['a number', 5, '5'],
  ])('keeps input that is %s as text, for the tool to complain of', (_, params, invalid) => {
    const calls = expand({ calls: [{ tool: 'get', params }] })
    expect(calls).toMatchObject([{ tool: 'get', input: {}, invalid }])
    expect(foldCalls(calls)).toMatchObject([{ input: { calls: [{ tool: 'get', params: invalid }] } }])
  })
})

describe('the results of what stood in one call', () => {
  const calls = expand({ calls: [{ tool: 'get' }, { tool: 'list' }] })

  it('are one result, which says of each what came of it', () => {
    const files = [{ mediaType: 'image/png', data: 'AA==' }]
    const results = [result(calls[0]!, 'completed', 'a', { files }), result(calls[1]!, 'denied', 'no')]
    expect(foldResults(calls, results)).toEqual([
      {
        id: 'prt_of_cal_o',
        type: 'tool-result',
        callId: 'cal_o',
        tool: 'use_tool',
        status: 'completed',
        output: { text: '[call 1 of 2: get, completed]\na\n\n[call 2 of 2: list, denied]\nno', files },
      },
    ])
  })

  it('have the status that all of them have', () => {
    const results = calls.map((call) => result(call, 'denied', 'no'))
    expect(foldResults(calls, results)).toMatchObject([{ status: 'denied' }])
  })

  it('are the text itself where it was one call', () => {
    const one = calls.slice(0, 1)
    const results = [result(one[0]!, 'failed', 'not there')]
    expect(foldResults(one, results)).toMatchObject([
      { callId: 'cal_o', tool: 'use_tool', status: 'failed', output: { text: 'not there' } },
    ])
  })
})

const entry = fc.oneof(
  fc.record({
    tool: fc.constantFrom('get', 'list', 'use_tool', ''),
    params: fc.jsonValue(),
    toolset: fc.constantFrom('crm', null, 3),
  }),
  fc.jsonValue() as fc.Arbitrary<Json>,
)
const answer = fc.array(
  fc.oneof(
    fc.record({ calls: fc.array(entry, { maxLength: 4 }) }),
    fc.constant('text' as const),
    fc.constant('direct' as const),
  ),
)

test('whatever a model sends, each of its calls has one result, and its text stays where it was', () => {
  fc.assert(
    fc.property(answer, (moves) => {
      const newId = counted()
      const text = { id: 'prt_t' as never, type: 'text', text: 'hm' } as const
      const asked = moves.map((move): Part => {
        if (move === 'text') return text
        const place = { id: newId('prt'), callId: newId('cal') }
        return move === 'direct' ? outer({}, { ...place, tool: 'get' }) : outer(move, place)
      })
      const parts = asked.flatMap((part): readonly Part[] =>
        part.type === 'tool-call' && part.tool === 'use_tool' ? innerCalls(part, newId) : [part],
      )
      const ids = parts.map(({ id }) => id).filter((id) => id !== text.id)
      expect(new Set(ids).size).toBe(ids.length)
      const folded = foldCalls(parts)
      const shape = (list: readonly Part[]) =>
        list.map((part) => (part.type === 'tool-call' ? [part.callId, part.tool] : part.type))
      expect(shape(folded)).toEqual(shape(asked))
      const calls = callsOf(parts)
      const results = foldResults(
        calls,
        calls.map((call) => result(call, 'completed', call.callId)),
      )
      expect(results.map(({ callId }) => callId)).toEqual(callsOf(asked).map(({ callId }) => callId))
      for (const call of calls)
        expect(results.filter(({ output }) => output.text.split(/\s/).includes(call.callId))).toHaveLength(1)
    }),
  )
})
