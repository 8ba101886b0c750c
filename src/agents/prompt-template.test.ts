import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyCharacter } from '../../test/support/any-character.ts'
import type { JsonSchema } from '../core/agent.ts'
import { roleText, templateProblem, typedMessage } from './prompt-template.ts'

const schemaOf = (fields: readonly string[], required: readonly string[] = []): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(fields.map((name) => [name, { type: 'string' }])),
  required,
})
const typed = (prompt: string, fields: readonly string[], required: readonly string[] = []) => ({
  prompt,
  inputSchema: schemaOf(fields, required),
})

describe('body and input', () => {
  test.each([
    ['no field', 'Do it.', ['a'], ['a']],
    ['all fields', 'Do {{a}} and {{ b }}.', ['a', 'b'], ['a']],
    ['a field that may be absent left out', 'Do {{a}}.', ['a', 'b'], ['a']],
    ['braces behind a backslash', 'Write \\{{x}} for {{a}}.', ['a'], []],
  ])('with %s fit together', (_, prompt, fields, required) => {
    expect(templateProblem(typed(prompt, fields, required))).toBeNull()
  })

  test.each([
    [
      'a field that is not in the schema',
      'Do {{a}} {{c}}.',
      ['a', 'b'],
      [],
      'its body names {{c}}, which its inputSchema lacks (it has a, b)',
    ],
    ['a path', 'Do {{a.b}}.', ['a'], [], 'its body names {{a.b}}, which its inputSchema lacks'],
    ['nothing in the braces', 'Do {{}}.', ['a'], [], 'its body names {{}}, which its inputSchema lacks'],
    ['a name of every object', 'Do {{constructor}}.', ['a'], [], 'its body names {{constructor}}'],
    [
      'a required field that it never uses',
      'Do {{a}}.',
      ['a', 'b'],
      ['a', 'b'],
      'its inputSchema requires b, which its body never names',
    ],
  ])('with %s do not', (_, prompt, fields, required, problem) => {
    expect(templateProblem(typed(prompt, fields, required))).toContain(problem)
  })

  test('a schema without fields lacks every field', () => {
    expect(templateProblem({ prompt: '{{a}}', inputSchema: { type: 'object' } })).toContain(
      'it has no fields',
    )
    expect(templateProblem({ prompt: 'Use {{handlebars}}.' })).toBeNull()
  })
})

describe('a typed input', () => {
  test('comes as labelled lines, in the order of the schema, and what is more behind them', () => {
    const message = typedMessage(typed('Do it.', ['b', 'a']), {
      more: [1],
      a: '1',
      b: 'x\ny',
      none: undefined,
    })
    expect(message).toBe('b:\n  x\n  y\na: 1\nmore: [1]')
  })

  test('cannot write the label of another field', () => {
    const lines = typedMessage(typed('', ['a', 'b']), { a: 'x\nb: forged' }).split('\n')
    expect(lines.filter((line) => line.startsWith('b:'))).toEqual([])
  })

  test('fills the body in, once, whatever stands in it', () => {
    const body = typed('{{a}}-{{b}}-{{a}}', ['a', 'b'])
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (value) => {
        expect(typedMessage(body, { a: 'A', b: `|${value}{{a}}$&|` })).toBe(`A-|${value}{{a}}$&|-A`)
      }),
    )
  })

  test('has what the schema says of a field that is not given', () => {
    const properties = { a: { type: 'string' }, n: { type: 'number', default: 3 } }
    const inputSchema = { type: 'object', properties }
    const body = { prompt: 'Look at {{a}} {{n}}', inputSchema }
    expect(typedMessage(body, { a: 'A.ts' })).toBe('Look at A.ts 3')
    expect(typedMessage(body, { a: 'A.ts', n: 0 })).toBe('Look at A.ts 0')
    expect(typedMessage({ prompt: '', inputSchema }, { a: 'A.ts' })).toBe('a: A.ts\nn: 3')
  })

  test('with the names of every object', () => {
    const input = JSON.parse('{"__proto__": "p", "constructor": "c"}') as object
    expect(typedMessage(typed('', []), { ...input, constructor: 'c' })).toBe('__proto__: p\nconstructor: c')
    expect(typedMessage(typed('{{toString}}', ['toString']), {})).toBe('(not given)')
  })
})

test('a body of millions of braces is looked at in time', () => {
  const prompt = '{{'.repeat(500_000)
  expect(templateProblem(typed(prompt, ['a']))).toBeNull()
})

test('the role is the body, unless that has come as the message', () => {
  const agent = { name: 'a', description: 'about it', source: 'test', ...typed('Do {{a}} \\{{b}}', ['a']) }
  expect(roleText(agent, true)).toBe('about it')
  expect(roleText(agent, false)).toBe('Do [a: see the task] {{b}}')
  expect(roleText({ ...agent, prompt: 'Do it.' }, true)).toBe('Do it.')
})
