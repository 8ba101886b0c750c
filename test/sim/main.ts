import { parseArgs } from 'node:util'
import { mechanisms, type Mechanism } from '../support/faults.ts'
import { figuresText, runSeeds } from './run-seeds.ts'
import { simulate } from './simulate.ts'
import { runInCopy, sourceEdits } from './without.ts'

const USAGE = `node test/sim/main.ts --seed N [--trace] [--off MECHANISM]   one seed, as it was
node test/sim/main.ts --seeds N [--from M] [--off MECHANISM]  many, with the figures
With --all worlds have, and the checker looks at, what is known to be broken (test/support/not-yet.ts).`

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string' },
    from: { type: 'string', default: '1' },
    off: { type: 'string', multiple: true, default: [] },
    trace: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
  },
})
const off = values.off as Mechanism[]
const unknown = off.find((name) => !mechanisms.includes(name))
if (!unknown && sourceEdits(off).length > 0) process.exit(runInCopy(off, otherArguments()))
if (values.seed && !unknown) process.exit(await one(Number(values.seed)))
else if (values.seeds && !unknown) process.exit(await many(Number(values.from), Number(values.seeds)))
else {
  say(unknown ? `${unknown} is none of ${mechanisms.join(', ')}` : USAGE)
  process.exit(2)
}

async function one(seed: number): Promise<number> {
  const { problems, trace } = await simulate(seed, { off, traced: values.trace, all: values.all })
  for (const line of trace) say(line)
  for (const problem of problems) say(`seed ${seed}: ${problem}`)
  say(`seed ${seed}: ${problems.length} violations`)
  return problems.length > 0 ? 1 : 0
}

async function many(from: number, count: number): Promise<number> {
  const figures = await runSeeds(from, count, { off, all: values.all })
  say(figuresText(figures))
  return figures.violations.length > 0 ? 1 : 0
}

/** Without `--off NAME`. */
function otherArguments(): string[] {
  const args = process.argv.slice(2)
  return args.filter((each, at) => each !== '--off' && args[at - 1] !== '--off')
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
