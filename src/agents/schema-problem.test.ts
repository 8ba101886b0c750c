import { expect, test } from 'vitest'
import { schemaProblem } from './schema-problem.ts'

test.each([
  {},
  { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { type: 'string' } } },
  {
    $ref: '#/$defs/node',
    $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
  },
  { $defs: { 'a/b~c': {} }, items: { $ref: '#/$defs/a~1b~0c' } },
  { properties: { $ref: { type: 'string' } } },
])('%j can be used', (schema) => {
  expect(schemaProblem(schema)).toBeNull()
})

test.each([
  [{ $ref: '#' }, '# refers to itself'],
  [{ $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }, '#/$defs/b refers to itself'],
  [{ items: { $ref: '#/items' } }, '#/items refers to itself'],
  [{ $ref: '#/$defs/gone' }, '#/$defs/gone does not exist'],
  [{ $ref: '#/constructor' }, '#/constructor does not exist'],
  [
    { $ref: 'https://example.com/schema' },
    'https://example.com/schema is not a reference into the schema itself',
  ],
  [{ $ref: '#anchor' }, '#anchor is not a reference into the schema itself'],
])('%j cannot: %s', (schema, problem) => {
  expect(schemaProblem(schema)).toBe(problem)
})

test('a schema of any depth is looked at', () => {
  const deep = JSON.parse(`${'{"items":'.repeat(5_000)}{}${'}'.repeat(5_000)}`) as object
  expect(schemaProblem(deep as Parameters<typeof schemaProblem>[0])).toBe('it is nested more than 32 deep')
})
