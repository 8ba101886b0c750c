import { parentPort, workerData } from 'node:worker_threads'
import type { Share, Work } from './run-seeds.ts'
import { simulate } from './simulate.ts'
import type { Tally } from './world.ts'

const { from, to, by, options } = workerData as Work
const violations: [number, string][] = []
const all: Tally = {}
for (let seed = from; seed <= to; seed += by) {
  const { problems, faults } = await simulate(seed, options)
  for (const problem of problems) violations.push([seed, problem])
  for (const [name, times] of Object.entries(faults)) all[name] = (all[name] ?? 0) + times
}
parentPort!.postMessage({ violations, faults: all } satisfies Share)
