import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { writeCase } from './cases.ts'
import { inputAt, type Found } from './fuzz.ts'
import { TARGETS, targetNamed } from './targets.ts'
import type { Told, Work } from './worker.ts'

/**
 * `npm run test:fuzz -- [PARSER ...] [--seconds 600] [--seed N]`: each parser for that long, one after the other. What is
 * found is made as small as can be and written to `test/fuzz/cases`; the same seed has the same inputs.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '600' }, seed: { type: 'string' } },
})
const seconds = Number(values.seconds)
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9))
const targets = positionals.length === 0 ? TARGETS : positionals.map(targetNamed)
if (!(seconds > 0) || !Number.isSafeInteger(seed)) throw new Error('--seconds and --seed are numbers')

/** No input may take as long: whatever does not come to its end is ended. */
const HANG_MS = 60_000

let failures = 0
for (const { name } of targets) failures += await fuzz(name)
process.exitCode = failures > 0 ? 1 : 0

async function fuzz(parser: string): Promise<number> {
  const found: Found[] = []
  const until = Date.now() + seconds * 1000
  let from = 0
  let peak = 0
  while (Date.now() < until) {
    const keep = (each: Found) => {
      found.push(each)
      process.stdout.write(`${parser}: ${each.message}\n  ${writeCase(each)}\n`)
    }
    const { at, peakMb, broken } = await work({ parser, seed, from, until }, keep)
    peak = Math.max(peak, peakMb)
    if (broken) {
      const input = inputAt(targetNamed(parser), seed, at)
      keep({ parser, property: broken, message: broken, seed, at, input })
    }
    from = at + 1
  }
  process.stdout.write(
    `${parser}: ${from} inputs of seed ${seed}, ${found.length} findings, ${peak} MB at most\n`,
  )
  return found.length
}

interface Worked {
  /** The last input that was tried. */
  readonly at: number
  readonly peakMb: number
  /** What that input did to the thread; absent: nothing. */
  readonly broken?: 'hangs' | 'takes too much memory'
}

/** In a thread of its own, which can be ended whatever it does. */
async function work(job: Work, onFound: (found: Found) => void): Promise<Worked> {
  const worker = new Worker(new URL('worker.ts', import.meta.url), {
    workerData: job,
    resourceLimits: { maxOldGenerationSizeMb: 1_024 },
  })
  const { promise, resolve, reject } = Promise.withResolvers<Worked>()
  let state: Worked = { at: job.from, peakMb: 0 }
  const rest = () => setTimeout(() => resolve({ ...state, broken: 'hangs' }), HANG_MS)
  let timer = rest()
  worker.on('message', (told: Told) => {
    clearTimeout(timer)
    timer = rest()
    if (told.type === 'found') onFound(told.found)
    else state = { at: told.at, peakMb: Math.max(state.peakMb, told.mb) }
  })
  worker.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') resolve({ ...state, broken: 'takes too much memory' })
    else reject(error)
  })
  worker.on('exit', () => resolve(state))
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    await worker.terminate()
  }
}
