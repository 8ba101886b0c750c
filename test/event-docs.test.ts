import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { eventsPage, eventsSchema } from '../scripts/event-docs.mjs'
import { eventSchemas, parseEvent, type EventType } from '../src/core/events.ts'
import { base, payloads } from '../src/core/fixtures/events.ts'
import { cliUser } from './support/run-cli.ts'

const read = (name: string) => readFileSync(new URL(`../docs/${name}`, import.meta.url), 'utf8')
const types = Object.keys(eventSchemas) as EventType[]
const schema = JSON.parse(read('events.schema.json'))
const published = z.fromJSONSchema(schema)
const sample = (type: EventType) => ({ type, ...base, ...payloads[type] })

describe('docs/events.md and docs/events.schema.json', () => {
  test('are what `node scripts/event-docs.mjs` writes', () => {
    expect(read('events.md')).toBe(eventsPage())
    expect(JSON.parse(read('events.schema.json'))).toEqual(eventsSchema())
  })

  test.each(types)('%s: the page has a row for it', (type) => {
    expect(read('events.md').split('\n')).toContainEqual(
      expect.stringMatching(new RegExp(`^\\| \`${type}\` `)),
    )
  })
})

describe.each(types)('the published schema of %s', (type) => {
  const one = z.fromJSONSchema({ $defs: schema.$defs, $ref: `#/$defs/${type}` })

  test('takes what the program takes', () => {
    expect(published.safeParse(sample(type)).error).toBeUndefined()
    expect(published.safeParse({ ...sample(type), later: 1 }).success).toBe(true)
  })

  test.each(['type', ...Object.keys(base), ...Object.keys(payloads[type])])(
    'asks for %s as the program does',
    (field) => {
      const { [field]: _, ...rest } = sample(type) as Record<string, unknown>
      for (const value of [
        rest,
        { ...rest, [field]: {} },
        { ...rest, [field]: null },
        { ...rest, [field]: 'x' },
      ])
        expect(one.safeParse(value).success).toBe(accepts(value))
    },
  )
})

function accepts(value: unknown): boolean {
  try {
    return Boolean(parseEvent(value))
  } catch {
    return false
  }
}

describe('--output-format events', () => {
  const user = cliUser()
  afterAll(() => user.remove())

  test('every line of a run with subagents, a denial and a failure is an event of the published schema', async () => {
    const task = (prompt: string) => ({
      tool: 'task',
      input: { description: prompt, prompt, subagent_type: 'general' },
    })
    const { stdout } = await user.run(
      {
        main: [
          { toolCalls: [task('one'), task('two'), task('three')] },
          { text: 'end \u009b\u2028', chunks: 3 },
        ],
        general: [
          { match: 'one', toolCalls: [{ tool: 'bash', input: { command: 'touch x' } }] },
          { match: 'two', error: { status: 400 } },
          { match: 'three', toolCalls: [{ tool: 'list', input: {} }] },
          { text: 'report' },
          { text: 'report' },
        ],
      },
      ['--output-format', 'events', 'go'],
    )
    expect(stdout).not.toMatch(/[\u007f-\u009f\u2028\u2029]/)
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => parseEvent(JSON.parse(line)))
    for (const event of events) expect(published.safeParse(event).error).toBeUndefined()
    const stored = events.filter(({ sub }) => sub === undefined).map(({ seq }) => seq)
    expect(stored).toEqual(stored.map((_, index) => index + 1))
    const wanted = ['run.completed', 'run.failed', 'tool.denied', 'part.delta', 'report.delivered']
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(wanted))
  })
})
