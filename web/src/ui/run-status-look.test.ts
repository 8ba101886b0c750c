import { expect, test } from 'vitest'
import type { RunRow } from 'offshoot/protocol'
import { lineOf } from './run-status-look.ts'

const around = { since: null, until: null, verb: null }

test.each(['paused', 'cancelled'] as const)('quotes what an agent said before it was %s', (status) => {
  const run = { status, headline: 'half of the cou' } as RunRow
  const line = { state: 'Stopped', detail: 'limit: max output tokens', ...around }
  expect(lineOf(run, line)).toBe('Stopped: limit: max output tokens · “half of the cou”')
  expect(lineOf({ ...run, headline: null }, line)).toBe('Stopped: limit: max output tokens')
})
