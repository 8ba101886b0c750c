import { parseArgs } from 'node:util'
import { play, type Played } from './play.ts'
import { scenarioOf } from './seeds.ts'
import { playStopped } from './stopped.ts'
import { mechanisms } from '../support/faults.ts'

/**
 * `npm run test:kill -- [--seeds 100] [--from 1] [--seed N] [--keep] [--all] [--off MECHANISM]`: the kill test, with its
 * figures at the end; `--off` plays it without a mechanism, `--all` checks what is known to be broken too (test/support/not-yet.ts). What is aimed at a
 * fault point is the same each time; a kill by the clock comes at about the same moment.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    keep: { type: 'boolean' },
    off: { type: 'string' },
    all: { type: 'boolean', default: false },
  },
})
const off = mechanisms.find((name) => name === values.off)
if (values.off && !off) throw new Error(`${values.off} is none of ${mechanisms.join(', ')}`)
const all = Array.from({ length: Number(values.seeds) }, (_, at) => at + Number(values.from))
const seeds = values.seed === undefined ? all : [Number(values.seed)]
const played: Played[] = []
for (const seed of seeds) {
  const one = await playSeed(seed)
  played.push(one)
  const how = one.violations.length === 0 ? 'ok' : `VIOLATED, see ${one.folder}/log.txt`
  process.stdout.write(`seed ${seed}: ${one.kills} kills, quiet in ${one.quietMs} ms, ${how}\n`)
  for (const each of one.violations) process.stdout.write(`  ${each}\n`)
  if (values.keep) process.stdout.write(`  ${one.folder}\n`)
}
const found = played.flatMap(({ violations }) => violations).length
process.stdout.write(`\n${figures(played)}\n`)
process.exitCode = found > 0 ? 1 : 0

/** Of ten seeds one stops a program for 30 s, within the first 3 s of its run, and lets it go on. */
function playSeed(seed: number): Promise<Played> {
  const scenario = { ...scenarioOf(seed, values.all), keep: values.keep ?? false, all: values.all, off }
  return seed % 10 === 9
    ? playStopped(scenario, { at: 50 + (seed % 300) * 10, forMs: 30_000 })
    : play(scenario)
}

function figures(all: readonly Played[]): string {
  const sum = (of: (one: Played) => number) => all.reduce((total, one) => total + of(one), 0)
  const recoveries = all.flatMap(({ recoveriesMs }) => recoveriesMs).toSorted((a, b) => a - b)
  const p95 = recoveries[Math.ceil(recoveries.length * 0.95) - 1] ?? 0
  const quiet = Math.max(...all.map(({ quietMs }) => quietMs))
  const names = Object.keys(all[0]?.seen ?? {})
  const seen = names.map((name) => `${name} ${sum((one) => one.seen[name] ?? 0)}`)
  return [
    `seen        ${seen.join(', ')}`,
    `seeds       ${all.length}`,
    `kills       ${sum(({ kills }) => kills)}`,
    `violations  ${sum(({ violations }) => violations.length)}`,
    `recovery    ${p95} ms (95th percentile of ${recoveries.length}, from the start of the program)`,
    `quiet       ${quiet} ms at most after the last kill`,
  ].join('\n')
}
