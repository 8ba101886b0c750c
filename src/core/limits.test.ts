import { expect, test } from 'vitest'
import { defaultLimits, limitsSchema } from './limits.ts'

test('the defaults are those that are promised', () => {
  expect(defaultLimits).toEqual({
    maxConcurrent: 4,
    maxDepth: 1,
    maxSpawns: 50,
    budgetUsd: 5,
    maxTurns: 50,
    maxTurnsSubagent: 10,
    maxQueue: 200,
    globalConcurrent: 16,
    maxTokens: 2_000_000,
    maxIdenticalCalls: 5,
    maxReportTokens: 4_000,
    stallMs: 300_000,
    approvalMs: 86_400_000,
    timeoutMs: null,
  })
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
  expect(limitsSchema.safeParse(limits).success).toBe(false)
})

test('no budget and no timeout can be said', () => {
  expect(limitsSchema.parse({ budgetUsd: null, timeoutMs: 1 })).toMatchObject({
    budgetUsd: null,
    timeoutMs: 1,
  })
})
