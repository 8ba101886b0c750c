import { expect, test } from 'vitest'
import { StartQueue } from './start-queue.ts'

const turnOfEventLoop = () => new Promise((resolve) => setImmediate(resolve))

test('starts eight per turn of the event loop, in order of request', async () => {
  const starts = new StartQueue()
  const begun: number[] = []
  const ask = (n: number) => void starts.admit().then(() => begun.push(n))
  for (let n = 0; n < 20; n++) ask(n)
  await Promise.resolve()
  expect(begun).toHaveLength(8)
  await turnOfEventLoop()
  ask(20)
  await Promise.resolve()
  expect(begun).toHaveLength(16)
  await turnOfEventLoop()
  expect(begun).toEqual(Array.from({ length: 21 }, (_, n) => n))
})

test('does not delay a late request behind earlier starts', async () => {
  const starts = new StartQueue()
  for (let turn = 0; turn < 3; turn++) {
    await Promise.all(Array.from({ length: 8 }, () => starts.admit()))
    await turnOfEventLoop()
  }
  let hasBegun = false
  void starts.admit().then(() => (hasBegun = true))
  await Promise.resolve()
  expect(hasBegun).toBe(true)
})
