import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { systemClock } from './system-clock.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test.each([1, 2 ** 31 - 1, 2 ** 31, 2 ** 33, 10 * 2 ** 31])('waits %i ms, and fires once', (ms) => {
  const fired = vi.fn()
  systemClock.after(ms, fired)
  vi.advanceTimersByTime(ms - 1)
  expect(fired).toHaveBeenCalledTimes(0)
  vi.advanceTimersByTime(1)
  vi.runAllTimers()
  expect(fired).toHaveBeenCalledTimes(1)
})

test('a long delay can be cancelled at any point', () => {
  const fired = vi.fn()
  for (const passed of [0, 2 ** 31, 2 ** 32]) {
    const cancel = systemClock.after(2 ** 33, fired)
    vi.advanceTimersByTime(passed)
    cancel()
    expect(vi.getTimerCount()).toBe(0)
  }
  expect(fired).not.toHaveBeenCalled()
})

test('an infinite delay never fires', () => {
  const fired = vi.fn()
  const cancel = systemClock.after(Infinity, fired)
  vi.advanceTimersByTime(2 ** 40)
  expect(fired).not.toHaveBeenCalled()
  cancel()
})
