import { checkEnd, isAtRest } from './check.ts'
import { featuresOf } from './features.ts'
import { People } from './people.ts'
import { planOf } from './plan.ts'
import { SimProcess } from './process.ts'
import { World, type Tally, type WorldOptions } from './world.ts'

export interface Outcome {
  readonly seed: number
  /** What does not hold, `INVARIANT: sentence`. Empty: all is well. */
  readonly problems: readonly string[]
  readonly trace: readonly string[]
  /** How often each fault came. */
  readonly faults: Tally
}

/**
 * One world from its beginning until all is quiet: processes come, drive what is there, and die of their fate; the last
 * ones live. The same seed is the same world, event by event.
 */
export async function simulate(seed: number, options: WorldOptions = {}): Promise<Outcome> {
  const features = featuresOf(seed, options.all ?? false)
  const world = new World(seed, planOf(seed, features, options.all), options)
  for (const feature of features) world.count(`world with ${feature}`)
  const people = new People(world)
  const { timeline, watch, plan } = world
  const isQuiet = () =>
    world.told.size >= plan.conversations &&
    timeline.now > watch.lastCommitAt + QUIET_MS &&
    !world.processes.some((process) => process.isStopped) &&
    isAtRest(world)
  const next = (number: number) => {
    const process = new SimProcess(world, plan.dooms[number], plan.moves ? `host ${number}` : 'here')
    people.driver = process
    void process.live((each) => people.begin(each))
    return process
  }
  if (plan.second) {
    const { atMs, doom } = plan.second
    timeline.after(atMs, () => void new SimProcess(world, doom).live(async () => {}))
  }
  for (const [number] of plan.dooms.entries()) {
    const process = next(number)
    await timeline.run(() => process.isGone || process.isStopped || isQuiet(), LIFE_MS)
    people.betweenProcesses()
    await timeline.run(() => false, 1 + plan.downMs[number]!)
  }
  world.isCalm = true
  world.note('world', () => 'no more faults')
  await settle()
  for (let round = 0; plan.continuesAtEnd && round < ROUNDS && people.continuePaused(); round++)
    await settle()
  checkEnd(world)
  for (const process of world.processes) process.die('with its world')
  return { seed, problems: watch.problems, trace: world.trace, faults: world.tally }

  /** Starts processes until one of them is alive when all is quiet. */
  async function settle(): Promise<void> {
    for (let tries = 0; tries < ROUNDS; tries++) {
      const process =
        people.driver && !people.driver.isGone && !people.driver.isStopped
          ? people.driver
          : next(world.processes.length + 100)
      await timeline.run(() => false, QUIET_MS)
      await timeline.run(() => process.isGone || isQuiet(), LIFE_MS)
      if (!process.isGone) return
      people.betweenProcesses()
      if (features.has('nested mail')) await timeline.run(() => false, MAIL_MS)
    }
  }
}

/** Without any commit for so long, a world in which no run goes on is quiet. */
const QUIET_MS = 1_000
/** A world that is not quiet by then never will be. */
const LIFE_MS = 600_000
const ROUNDS = 12
/** In which somebody says something to what nobody drives. */
const MAIL_MS = 500
