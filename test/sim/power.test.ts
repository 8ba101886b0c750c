import { expect, test } from 'vitest'
import { simulate } from './simulate.ts'

/** In them the power fails while an answer is streamed that people have been told of. */
test.each([826, 1112])('what was told is there after a loss of power (seed %i)', async (seed) => {
  const { problems, faults } = await simulate(seed)
  expect(faults['loss of power']).toBeGreaterThan(0)
  expect(problems).toEqual([])
})
