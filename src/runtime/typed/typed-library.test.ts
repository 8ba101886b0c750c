import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { agent } from '../library/agent.ts'

const base = { name: 'critic', description: 'judges a text', prompt: 'Judge {{text}}.' }
const inputSchema = z.object({ text: z.string() })

describe('an agent in code', () => {
  test('may have zod schemas, a function as its summary, and a tool', () => {
    const summarize = (report: string) => report.slice(0, 10)
    const own = { ...base, inputSchema, outputSchema: z.array(z.int()), summarize, exposeAsTool: true }
    expect(agent(own)).toBe(own)
  })

  test.each<[string, object, string]>([
    [
      'a body that names another field',
      { inputSchema: z.object({ words: z.string() }), exposeAsTool: true },
      'its body names {{text}}, which its inputSchema lacks (it has words)',
    ],
    [
      'a required field that the body never names',
      { inputSchema: z.object({ text: z.string(), more: z.string() }) },
      'its inputSchema requires more, which its body never names',
    ],
    ['a tool without input', { exposeAsTool: 'judge' }, 'exposeAsTool: it needs an inputSchema'],
    [
      'an output that is no schema',
      { outputSchema: { type: 'words' } },
      'its field outputSchema cannot be used: it is no JSON Schema',
    ],
    [
      'an output that refers to elsewhere',
      { outputSchema: { $ref: 'https://example.com/a' } },
      'outputSchema: expected a JSON Schema',
    ],
    [
      'a schema that JSON has no words for',
      { outputSchema: z.date() },
      'outputSchema: the schema has no JSON Schema',
    ],
    [
      'a summary that is a slip',
      { summarize: 'bulets' },
      'summarize: expected headline, first-paragraph, bullets, or a line that says how',
    ],
  ])('with %s is refused', (_, more, problem) => {
    expect(() => agent({ ...base, ...more })).toThrow(problem)
  })

  test('with a schema that goes round in code is refused too', () => {
    const round: Record<string, unknown> = { type: 'object' }
    round['properties'] = { round }
    expect(() => agent({ ...base, outputSchema: round } as never)).toThrow(
      'outputSchema: expected a JSON Schema',
    )
  })
})
