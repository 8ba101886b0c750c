import type { FaultPoint } from '../support/faults.ts'
import type { Death } from './drive.ts'
import { NOT_YET } from '../support/not-yet.ts'
import { featuresOf } from './features.ts'
import type { Scenario } from './play.ts'
import { between, pick, randomOf } from './random.ts'

const CHILDREN = 20

/** Where a program is killed, and up to which time it comes there. */
const AIMS: readonly (readonly [FaultPoint, number])[] = [
  ['intent.before', 60],
  ['intent.after', 60],
  ['effect.before', 60],
  ['effect.after', 60],
  ['result.before', 60],
  ['result.after', 60],
  ['delivery.before', 8],
  ['delivery.after', 8],
  ['lease.before', 1],
  ['lease.after', 1],
  ['recovery.before', 1],
  ['recovery.taken', 1],
  ['recovery.killed', 1],
  ['recovery.after', 1],
]

/** What happens with a seed; the same each time, but for the moment of a kill by the clock. */
export function scenarioOf(seed: number, isAll = false): Scenario {
  const random = randomOf(seed + 3)
  const group = seed % 10 === 6
  const features = featuresOf(seed)
  const asked = randomOf(seed + 8)
  const isServed = seed % 10 === 5 || seed % 10 === 2
  const hasSignals = features.has('signals') && (isAll || !isServed || !NOT_YET.has('half a stop'))
  const deaths = Array.from({ length: between(random, 1, 5) }, (_, at) => deathOf(random, at, group)).map(
    (death, at) => (hasSignals && asked() < 0.6 ? signalOf(asked, at) : death),
  )
  const common = { seed, children: CHILDREN, deaths, messages: between(random, 1, 4), features }
  if (isServed) return { ...common, deaths: [...deaths, CLOCK], served: true }
  if (seed % 10 === 7) return { ...common, deaths: [...deaths, CLOCK], two: true }
  if (seed % 10 === 8)
    return { ...common, deaths: [NEVER, CLOCK, ...deaths], pages: between(random, 130, 240) }
  return common
}

/** Every other one is aimed; the first at what a first program comes to. */
function deathOf(random: () => number, at: number, group: boolean): Death {
  if (random() < 0.5 && !group) {
    const [point, most] = pick(random, at === 0 ? FIRST : AIMS)
    return { type: 'point', point, time: between(random, 1, at === 0 ? most : Math.ceil(most / 3)) }
  }
  return {
    type: 'clock',
    afterMs: at === 0 ? between(random, 500, 1_100) : between(random, 350, 1_500),
    group,
  }
}

/** While it starts, or in the middle of its work. */
function signalOf(random: () => number, at: number): Death {
  const signal = pick(random, ['SIGTERM', 'SIGTERM', 'SIGINT', 'SIGHUP'] as const)
  const atStart = random() < 0.5
  const afterMs = atStart ? between(random, 50, 800) : between(random, at === 0 ? 600 : 400, 1_800)
  return { type: 'signal', signal, afterMs }
}

const CLOCK: Death = { type: 'clock', afterMs: 700, group: false }
/** Its store is full before. */
const NEVER: Death = { type: 'told', text: '(never)' }

const FIRST: typeof AIMS = [
  ...AIMS.filter(([point]) => !point.startsWith('recovery')),
  ['migration.before', 1],
  ['migration.after', 1],
]
