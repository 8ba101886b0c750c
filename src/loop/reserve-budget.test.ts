import { expect, test } from 'vitest'
import { reserveRequest } from './reserve-budget.ts'
import type { LoopPorts, ReservationResult } from './ports.ts'
import type { Watchdog } from './watchdog.ts'

test('a reservation that was waited for is given back where it cannot be stored that the run goes on', async () => {
  let held = 0
  const release = () => void held--
  const answers: ReservationResult[] = [{ until: Promise.resolve(), held: 'all of it' }]
  const budget = {
    ask: () => answers.shift() ?? (held++, { release }),
  }
  const journal = {
    waiting: () => Promise.resolve(),
    resumed: () => Promise.reject(new Error('fsync failed')),
  }
  const watchdog = { suspend: () => () => {} }
  const model = { info: { maxOutput: 10, price: null } }
  const { signal } = new AbortController()
  const clock = { now: () => 0 }
  const ports = { budget, journal, model, signal, clock } as unknown as LoopPorts
  const reserved = reserveRequest(1, ports, watchdog as unknown as Watchdog)
  await expect(reserved).rejects.toThrow('fsync failed')
  expect(held).toBe(0)
})
