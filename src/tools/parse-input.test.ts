import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { defineTool } from './define-tool.ts'
import { tool } from './fixtures/context.ts'
import { parseInput } from './parse-input.ts'
import { ToolError, type AnyTool } from './port.ts'

const schema = z.object({
  name: z.string(),
  count: z.int().min(1).max(9).optional(),
  deep: z.object({ on: z.boolean() }).optional(),
  list: z.array(z.object({ text: z.string() })).optional(),
  mode: z.enum(['fast', 'slow']).optional(),
  nothing: z.null().optional(),
})

const sample: AnyTool = defineTool<z.infer<typeof schema>, string>({
  name: 'sample',
  toolset: 'test',
  description: 'A sample.',
  inputSchema: schema,
  effects: 'none',
  idempotent: true,
  inputAliases: { title: 'name', content: 'text' },
  subject: () => [],
  title: () => 'Sample',
  execute: async () => '',
  toModelOutput: (text) => ({ text }),
})

function problem(input: unknown): string {
  try {
    parseInput(sample, input)
  } catch (error) {
    expect(error).toBeInstanceOf(ToolError)
    expect((error as ToolError).code).toBe('invalid_input')
    return `${(error as ToolError).message} ${(error as ToolError).hint}`
  }
  throw new Error('the input was taken')
}

test('valid input passes unchanged', () => {
  const input = {
    name: 'x',
    count: 2,
    deep: { on: true },
    list: [{ text: 'a' }],
    mode: 'fast',
    nothing: null,
  }
  expect(parseInput(sample, input)).toEqual(input)
})

test('common mistakes are fixed', () => {
  const input = {
    name: 7,
    count: ' 2 ',
    deep: '{"on":"true"}',
    list: '[{"text":"a"}]',
    mode: 'FAST',
    nothing: null,
  }
  expect(parseInput(sample, { ...input, deep: { on: 'True' } })).toEqual({
    name: '7',
    count: 2,
    deep: { on: true },
    list: [{ text: 'a' }],
    mode: 'fast',
    nothing: null,
  })
  expect(parseInput(sample, { name: 'x', count: null, deep: null })).toEqual({ name: 'x' })
  expect(parseInput(sample, '{"name":"x"}')).toEqual({ name: 'x' })
  expect(parseInput(sample, JSON.stringify('{"name":"x"}'))).toEqual({ name: 'x' })
  expect(parseInput(tool('todo'), undefined)).toEqual({})
})

test('alternative field names are accepted, unless two of them differ', () => {
  expect(parseInput(sample, { title: 'x', list: [{ content: 'a' }] })).toEqual({
    name: 'x',
    list: [{ text: 'a' }],
  })
  expect(parseInput(sample, { title: 'x', name: 'x' })).toEqual({ name: 'x' })
  expect(problem({ title: 'x', name: 'y' })).toMatch(/"name" and "title" are the same field/)
  expect(parseInput(sample, { name: '7', title: 7 })).toEqual({ name: '7' })
  const list = (content: unknown) => ({ name: 'x', list: [{ text: 'a' }, { text: '1', content }] })
  expect(parseInput(sample, list(1))).toEqual({ name: 'x', list: [{ text: 'a' }, { text: '1' }] })
  expect(problem(list(2))).toMatch(/"text" and "content" are the same field/)
  const many = Array.from({ length: 10_000 }, () => ({ text: '1', content: 1 }))
  expect(problem({ name: 'x', list: many })).toMatch(/"text" and "content" are the same field/)
})

test('an error names the field, the expected and the received value', () => {
  expect(problem({ name: 'x', count: 'many' })).toMatch(/count: expected number, got string "many"/)
  expect(problem({ name: 'x', count: 10 })).toMatch(/count: .*9, got number 10/)
  expect(problem({ Name: 'x' })).toMatch(
    /name is missing \(string\) \(got the fields: Name\).*expected: \{name: string, count\?: integer/,
  )
  expect(problem({ name: 'x', mode: 'warp' })).toMatch(/mode: .*"fast"\|"slow".* got string "warp"/)
  expect(problem({ name: 'x', list: [{ text: [] }] })).toMatch(
    /list\.0\.text: expected string, got a list \[\]/,
  )
  expect(problem('rm -rf')).toMatch(/it is not JSON/)
  expect(problem([1, 2])).toMatch(/expected an object, got a list \[1,2\]/)
  expect(problem({ name: 'echo \ud800' })).toMatch(/name: the text is not valid Unicode/)
})

test('a megabyte of input is accepted, and an error about it stays short', () => {
  const text = 'x'.repeat(1_000_000)
  expect(parseInput(sample, { name: text })).toEqual({ name: text })
  expect(problem(text).length).toBeLessThan(600)
  expect(problem({ name: 'x', count: text }).length).toBeLessThan(600)
  expect(
    problem(Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`field${index}`, 1]))).length,
  ).toBeLessThan(900)
  expect(problem('['.repeat(100_000)).length).toBeLessThan(600)
  expect(
    problem({ name: 'x', deep: JSON.parse('['.repeat(5_000) + ']'.repeat(5_000)) as unknown }).length,
  ).toBeLessThan(600)
})

test('any input throws nothing but a ToolError', () => {
  const inputs = fc.oneof(
    fc.anything(),
    fc.json(),
    fc.record({ name: fc.anything(), count: fc.anything(), list: fc.anything(), __proto__: fc.anything() }),
  )
  fc.assert(
    fc.property(inputs, (input) => {
      try {
        expect(parseInput(sample, input)).toHaveProperty('name')
      } catch (error) {
        expect(error).toBeInstanceOf(ToolError)
      }
    }),
  )
})
