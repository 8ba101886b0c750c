import { describe, expect, test } from 'vitest'
import { testOffshoot } from '../../test/support/test-offshoot.ts'
import { z } from 'zod'
import { agent } from './agent.ts'

const base = { name: 'critic', description: 'judges a text', prompt: 'Judge {{text}}.' }
const inputSchema = z.object({ text: z.string() })

describe('a report that has to be what zod says', () => {
  const even = z.object({ n: z.int().refine((n) => n % 2 === 0, 'must be even') })
  const slow = z.object({ n: z.int().refine((n) => Promise.resolve(n % 2 === 0), 'must be even') })
  const reports = (...texts: string[]) => texts.map((text) => ({ text }))

  test.each([
    ['a refinement', even],
    ['a refinement that takes its time', slow],
  ])('passes %s to the agent', async (_, outputSchema) => {
    const critic = agent({ ...base, prompt: 'Judge.', outputSchema })
    await using t = await testOffshoot({ script: { critic: reports('{"n": 3}', '{"n": 4}') } })
    const run = await (await t.offshoot.chat()).spawn('go', { agent: critic })
    expect(await t.clock.until(run.result())).toMatchObject({
      status: 'completed',
      output: { n: 4 },
      turns: 2,
    })
    expect(JSON.stringify(t.model.requests[1])).toContain('- n is refused: must be even')
  })

  test('and fails as often as it may try', async () => {
    const critic = agent({ ...base, prompt: 'Judge.', outputSchema: even })
    const script = { critic: reports('{"n": 1}', '{"n": 3}', '{"n": 5}') }
    await using t = await testOffshoot({ script })
    const run = await (await t.offshoot.chat({ agent: critic })).send('go')
    const { status, error, output } = await t.clock.until(run.result())
    expect({ status, error, output }).toMatchObject({
      status: 'failed',
      error: {
        code: 'output_schema',
        message: expect.stringContaining('n is refused: must be even') as string,
      },
      output: undefined,
    })
  })

  test('fails at once where its check throws, and ends with the run where that never answers', async () => {
    const broken = z.number().refine(() => {
      throw new Error('no even numbers today')
    })
    const endless = z.number().refine(() => new Promise<boolean>(() => {}))
    const critics = [broken, endless].map((outputSchema, i) =>
      agent({ ...base, name: `critic${i}`, prompt: 'Judge.', outputSchema }),
    )
    const script = { critic0: reports('1'), critic1: reports('1') }
    await using t = await testOffshoot({ agents: critics, script })
    const chat = await t.offshoot.chat()
    const failed = await (await chat.spawn('go', { agent: 'critic0' })).result()
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'output_schema' } })
    expect(failed.error!.message).toContain('its own check failed: no even numbers today')
    const run = await chat.spawn('go', { agent: 'critic1' })
    await t.clock.advance(1_000)
    expect(await run.cancel()).toMatchObject({ outcome: 'cancelled' })
    expect(await t.clock.until(run.result())).toMatchObject({ status: 'cancelled' })
  })
})

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
      'its field outputSchema cannot be used: it is not a JSON Schema',
    ],
    [
      'an output that refers to elsewhere',
      { outputSchema: { $ref: 'https://example.com/a' } },
      'outputSchema: expected a JSON Schema',
    ],
    [
      'a schema that JSON has no words for',
      { outputSchema: z.date() },
      'outputSchema: the schema cannot be converted to JSON Schema',
    ],
    [
      'a summary that is a slip',
      { summarize: 'bulets' },
      'summarize: expected headline, first-paragraph, bullets, or an instruction',
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
