import fc from 'fast-check'
import { expect, it } from 'vitest'
import { LightHeaders, lightHeaders } from '../scripts/light-headers.mjs'

const name = fc.oneof(
  fc.constantFrom('user-agent', 'User-Agent', 'Authorization', 'x-api-key', 'Content-Type'),
  fc.string({ unit: fc.constantFrom('a', 'B', '-', '_', '!', ' ', ':', 'é', '\n'), maxLength: 4 }),
)
const value = fc.oneof(
  fc.string({
    unit: fc.constantFrom('a', ' ', '\t', '\r', '\n', '\0', 'é', 'ÿ', '→', ',', '😀'),
    maxLength: 6,
  }),
  fc.string(),
)
const step = fc.oneof(
  fc.tuple(fc.constantFrom('set' as const, 'append' as const), name, value),
  fc.tuple(fc.constantFrom('get' as const, 'has' as const, 'delete' as const), name),
)

/** What it answers at each step, and what is in it at the end. */
function played(open: () => Headers | LightHeaders, steps: readonly (readonly string[])[]): unknown[] {
  const headers = outcome(open)
  if (!(headers instanceof Headers || headers instanceof LightHeaders)) return [headers]
  const answers = steps.map(([verb, ...args]) =>
    outcome(() => Reflect.apply(headers[verb as 'get'], headers, args)),
  )
  const told: string[] = []
  headers.forEach((each, key) => void told.push(`${key}: ${each}`))
  return [...answers, [...headers], [...headers.entries()], told]
}

function outcome(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return (error as Error).name
  }
}

it('does to headers what the global class does', () => {
  const record = fc.dictionary(name, value)
  const pairs = fc.array(fc.tuple(name, value))
  fc.assert(
    fc.property(fc.oneof(record, pairs, fc.constant(undefined)), fc.array(step), (init, steps) => {
      const global = played(() => new Headers(init), steps)
      const light = played(() => new LightHeaders(init), steps)
      expect(light).toEqual(global)
    }),
    { numRuns: 1000 },
  )
})

it('fails to build where there is nothing to replace', () => {
  const { transform } = lightHeaders()
  expect(transform.handler('const a = new Headers(b)')).toMatch(
    /^import \{ LightHeaders as Headers \} from ".*"\n/,
  )
  expect(() => transform.handler('const a = {}')).toThrow('makes no Headers any more')
})
