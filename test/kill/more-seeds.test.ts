import { expect, test } from 'vitest'
import { play } from './play.ts'
import { scenarioOf } from './seeds.ts'

test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
  'nothing is lost and nothing done twice (seed %i)',
  { timeout: 300_000 },
  async (seed) => {
    const { violations, folder } = await play(scenarioOf(seed))
    expect(violations, `${folder}/log.txt`).toEqual([])
  },
)
