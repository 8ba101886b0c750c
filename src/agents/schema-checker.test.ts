import { describe, expect, test } from 'vitest'
import type { JsonSchema } from '../core/agent.ts'
import { issueLines, schemaChecker } from './schema-checker.ts'
import { withinTime } from './within-time.ts'

function linesOf(schema: JsonSchema, value: unknown): string[] {
  const checker = schemaChecker(schema)
  if (typeof checker === 'string') throw new Error(checker)
  const issues = checker(value)
  return typeof issues === 'string' ? [issues] : issueLines(issues)
}

describe('issues', () => {
  const schema = {
    type: 'object',
    properties: {
      id: { type: 'integer' },
      kind: { enum: ['a', 'b'] },
      version: { const: 2 },
      list: { type: 'array', items: { type: 'object', required: ['x'] }, minItems: 1 },
      'a/b': { type: ['string', 'null'] },
    },
    required: ['id'],
    additionalProperties: false,
  }

  test.each<[unknown, string[]]>([
    [{ id: 1, kind: 'a', version: 2, list: [{ x: 1 }], 'a/b': null }, []],
    [{}, ['id is missing']],
    [{ id: '1' }, ['id must be integer']],
    [{ id: 1, kind: 'c' }, ['kind must be one of ["a","b"]']],
    [{ id: 1, version: 3 }, ['version must be 2']],
    [{ id: 1, list: [] }, ['list must NOT have fewer than 1 items']],
    [{ id: 1, list: [{}, 3] }, ['list[0].x is missing', 'list[1] must be object']],
    [{ id: 1, 'a/b': 1 }, ['a/b must be string or null']],
    [{ id: 1, more: 1 }, ['more is not a field of the schema']],
    [[], ['the value must be object']],
    [null, ['the value must be object']],
  ])('of %j', (value, lines) => {
    expect(linesOf(schema, value)).toEqual(lines)
  })

  test('are few, and short', () => {
    const lines = linesOf(
      { type: 'array', items: { type: 'string' } },
      Array.from({ length: 100 }, () => 1),
    )
    expect(lines).toHaveLength(11)
    expect(lines.at(-1)).toBe('and 90 more')
    const [long] = linesOf(
      { properties: { ['x'.repeat(10_000)]: { type: 'string' } } },
      { ['x'.repeat(10_000)]: 1 },
    )
    expect(long!.length).toBeLessThan(301)
  })
})

describe('a schema', () => {
  test('may refer to itself where a value ends it', () => {
    const tree = {
      $ref: '#/$defs/node',
      $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
    }
    expect(linesOf(tree, { next: { next: {} } })).toEqual([])
    expect(linesOf(tree, { next: { next: 1 } })).toEqual(['next.next must be object'])
    expect(linesOf({ properties: { next: { $ref: '#' } }, type: 'object' }, { next: 1 })).toEqual([
      'next must be object',
    ])
  })

  test('that has an address of its own is used again and again', () => {
    const schema = { $id: 'https://example.com/a', type: 'string' }
    for (let n = 0; n < 3; n++) expect(linesOf(schema, 1)).toEqual(['the value must be string'])
  })

  test.each<[string, JsonSchema, string]>([
    ['a wrong keyword', { type: 'text' }, 'it is not a JSON Schema: schema/type must be equal'],
    ['properties that are a list', { properties: [1] }, 'it is not a JSON Schema'],
    ['a pattern that is none', { pattern: '(' }, 'it is not a JSON Schema: Invalid regular expression'],
    ['a dynamic reference', { $dynamicRef: '#a' }, '$dynamicRef is not supported'],
    ['itself in itself', { allOf: [{ $ref: '#' }] }, 'it cannot be checked'],
    ['a megabyte', { description: 'x'.repeat(1_000_000) }, 'characters of JSON; at most'],
    [
      'many parts',
      { anyOf: Array.from({ length: 6_000 }, () => ({})) },
      'it has more than 5000 lists and objects',
    ],
  ])('with %s cannot be used', (_, schema, problem) => {
    expect(schemaChecker(schema)).toContain(problem)
  })

  test('whose check doubles with each level is given up', () => {
    const twice = (at: number) => ({ allOf: [{ $ref: `#/$defs/d${at}` }, { $ref: `#/$defs/d${at}` }] })
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`d${at}`, at < 39 ? twice(at + 1) : {}]),
    )
    expect(schemaChecker({ $defs, $ref: '#/$defs/d0' })).toBe('checking it takes longer than 0.5 s')
  })

  test('whose pattern backtracks is given up for that value alone', () => {
    const schema = { type: 'string', pattern: '^(a|a)*$' }
    expect(linesOf(schema, `${'a'.repeat(60)}!`)).toEqual(['checking it takes longer than 0.5 s'])
    expect(linesOf(schema, 'aaa')).toEqual([])
  })

  test('formats and unknown keywords say nothing', () => {
    expect(linesOf({ type: 'string', format: 'email', 'x-note': 1 }, 'no address')).toEqual([])
  })
})

test('code that does not end is ended, and what it throws is thrown', () => {
  expect(withinTime(20, () => /^(a+)+$/.test(`${'a'.repeat(60)}!`))).toEqual({ late: true })
  expect(withinTime(1_000, () => 7)).toEqual({ late: false, value: 7 })
  expect(() => withinTime(1_000, () => { throw new RangeError('no') })).toThrow(new RangeError('no')) // oxfmt-ignore
  expect(withinTime(1_000, () => [withinTime(1_000, () => 1), withinTime(1_000, () => 2)])).toEqual({
    late: false,
    value: [1, 2].map((value) => ({ late: false, value })),
  })
})
