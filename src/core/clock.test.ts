import { expect, test } from 'vitest'
import { sleep, type Clock } from './clock.ts'

/** A clock whose timers fire when the test says so. */
function handClock() {
  const timers = new Set<{ readonly ms: number; readonly fn: () => void }>()
  const clock: Clock = {
    now: () => 0,
    after(ms, fn) {
      const timer = { ms, fn }
      timers.add(timer)
      return () => timers.delete(timer)
    },
  }
  const fire = () => {
    for (const timer of timers) {
      timers.delete(timer)
      timer.fn()
    }
  }
  return { clock, timers, fire }
}

test('sleeps as long as it was told, on the clock that it was given', async () => {
  const { clock, timers, fire } = handClock()
  const sleeping = sleep(clock, 250)
  expect([...timers].map(({ ms }) => ms)).toEqual([250])
  fire()
  await expect(sleeping).resolves.toBeUndefined()
})

test('an abort ends the sleep with its reason and takes the timer away', async () => {
  const { clock, timers } = handClock()
  const abort = new AbortController()
  const sleeping = sleep(clock, 250, abort.signal)
  abort.abort(new Error('enough'))
  await expect(sleeping).rejects.toThrow('enough')
  expect(timers.size).toBe(0)
})

test('a signal that is already aborted sets no timer', async () => {
  const { clock, timers } = handClock()
  const sleeping = sleep(clock, 250, AbortSignal.abort(new Error('before')))
  expect(timers.size).toBe(0)
  await expect(sleeping).rejects.toThrow('before')
})

test('an abort after the sleep changes nothing', async () => {
  const { clock, fire } = handClock()
  const abort = new AbortController()
  const sleeping = sleep(clock, 1, abort.signal)
  fire()
  abort.abort(new Error('late'))
  await expect(sleeping).resolves.toBeUndefined()
})

test('a thousand sleeps leave no listener on a signal', async () => {
  const { clock, fire } = handClock()
  const { signal } = new AbortController()
  let listeners = 0
  const counted = Object.assign(Object.create(signal) as AbortSignal, {
    addEventListener: () => void listeners++,
    removeEventListener: () => void listeners--,
  })
  Object.defineProperty(counted, 'aborted', { value: false })
  const sleeping = Array.from({ length: 1000 }, () => sleep(clock, 1, counted))
  expect(listeners).toBe(1000)
  fire()
  await Promise.all(sleeping)
  expect(listeners).toBe(0)
})
