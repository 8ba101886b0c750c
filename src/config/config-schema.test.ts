import { expect, test } from 'vitest'
import { defaultLimits } from '../core/limits.ts'
import { configSchema, defaultConfig } from './config-schema.ts'

const limitsOf = (limits: object) => configSchema().parse({ limits }).limits

test('limits that nobody names are the defaults', () => {
  expect(limitsOf({})).toEqual(defaultLimits)
})

test.each([
  { maxConcurrent: 0 },
  { maxDepth: 6 },
  { maxTurns: 1.5 },
  { budgetUsd: -1 },
  { stallMs: null },
  { maxIdenticalCalls: 1 },
  { maxturns: 5 },
])('%j is refused', (limits) => {
  expect(configSchema().safeParse({ limits }).success).toBe(false)
})

test('no budget and no timeout can be said', () => {
  expect(limitsOf({ budgetUsd: null, timeoutMs: 1 })).toMatchObject({
    budgetUsd: null,
    timeoutMs: 1,
  })
})

test('an empty configuration is what is in force without one', () => {
  expect(configSchema().parse({})).toStrictEqual(defaultConfig())
})
