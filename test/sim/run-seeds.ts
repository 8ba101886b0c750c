import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Tally, WorldOptions } from './world.ts'

/** What many seeds came to. */
export interface Figures {
  readonly seeds: number
  readonly seconds: number
  /** `seed N: INVARIANT: sentence`, by the seed. */
  readonly violations: readonly string[]
  readonly faults: Tally
}

/** What a worker tells of the seeds that it was given. */
export interface Share {
  readonly violations: readonly (readonly [seed: number, problem: string])[]
  readonly faults: Tally
}

type SeedOptions = Omit<WorldOptions, 'traced'>

/** Runs seeds on all cores: `from`, and so many that follow. */
export async function runSeeds(from: number, count: number, options: SeedOptions = {}): Promise<Figures> {
  const startedAt = performance.now()
  const workers = Array.from({ length: availableParallelism() }, (_, at) => at)
  const shares = await Promise.all(
    workers.map((at) => shareOf({ from: from + at, to: from + count - 1, by: workers.length, options })),
  )
  const violations = shares.flatMap((share) => share.violations).toSorted(([a], [b]) => a - b)
  const faults: Tally = {}
  for (const share of shares)
    for (const [name, times] of Object.entries(share.faults)) faults[name] = (faults[name] ?? 0) + times
  return {
    seeds: count,
    seconds: (performance.now() - startedAt) / 1_000,
    violations: violations.map(([seed, problem]) => `seed ${seed}: ${problem}`),
    faults,
  }
}

/** Seeds that one worker runs, one after the other. */
export interface Work {
  readonly from: number
  readonly to: number
  readonly by: number
  readonly options: SeedOptions
}

function shareOf(work: Work): Promise<Share> {
  const worker = new Worker(new URL('worker.ts', import.meta.url), { workerData: work })
  return new Promise((resolve, reject) => {
    worker.once('message', (share: Share) => {
      resolve(share)
      void worker.terminate()
    })
    worker.once('error', reject)
  })
}

/** The figures as they end the output of a test run. */
export function figuresText({ seeds, seconds, violations, faults }: Figures): string {
  const sum = (prefix: string) =>
    Object.entries(faults)
      .filter(([name]) => name.startsWith(prefix))
      .reduce((all, [, times]) => all + times, 0)
  const byFault = Object.entries(faults)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, times]) => `  ${name}: ${times}`)
  return [
    ...violations,
    `simulator: ${seeds} seeds in ${seconds.toFixed(1)} s, ${sum('crash') + sum('poison')} crashes, ${sum('stop')} stopped processes, ${sum('disk')} errors of the disk, ${sum('model')} troubles of the model, ${violations.length} violations`,
    ...byFault,
  ].join('\n')
}
