import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { mechanisms, type Mechanism } from '../support/faults.ts'
import { killers } from './killers.ts'

/**
 * `node test/mutants/find.ts [--seeds 200] [MECHANISM...]`: the first seed of the simulator that notices each missing
 * mechanism, as killers.ts names it.
 */
const { values, positionals } = parseArgs({
  options: { seeds: { type: 'string', default: '200' } },
  allowPositionals: true,
})
const asked = mechanisms.filter((name) => positionals.length === 0 || positionals.includes(name))
for (const name of asked.filter((each) => killers[each].suite === 'test:sim')) {
  const { invariant } = killers[name]
  const seed = firstSeed(name, invariant)
  process.stdout.write(
    `${name}: ${seed === undefined ? `no ${invariant}` : `${invariant} in seed ${seed}`}\n`,
  )
}

function firstSeed(name: Mechanism, invariant: string): number | undefined {
  const main = join(import.meta.dirname, '../sim/main.ts')
  const args = [main, '--seeds', values.seeds, '--off', name]
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 2 ** 28 })
  const found = stdout.matchAll(/^seed (\d+): ([\w§]+): /gm)
  const seeds = [...found].filter(([, , named]) => named === invariant).map(([, seed]) => Number(seed))
  return seeds.length > 0 ? Math.min(...seeds) : undefined
}
