import { setTimeout } from 'node:timers/promises'
import { violations } from './check.ts'
import { drive, type Death } from './drive.ts'
import { Person } from './person.ts'
import { randomOf } from './random.ts'
import { readRecords } from './records.ts'
import { isCallOf, storyOf, type Story, type StoryOptions } from './story.ts'
import { World, type WorldOptions } from './world.ts'

export interface Scenario extends StoryOptions, WorldOptions {
  readonly deaths: readonly Death[]
  /** How often somebody says something meanwhile. */
  readonly messages?: number
  /** Two conversations in one store, each with its own programs. */
  readonly two?: boolean
  /** Most programs are servers, which somebody uses over HTTP. */
  readonly served?: boolean
  /** The files stay where they are. */
  readonly keep?: boolean
  /** Whether what is known to be broken is checked too. */
  readonly all?: boolean
}

export interface Played {
  readonly kills: number
  readonly violations: readonly string[]
  readonly recoveriesMs: readonly number[]
  readonly quietMs: number
  /** How often what a story can have came to something: rows of the store, at the end. */
  readonly seen: Seen
  /** Titles of calls whose effect is not known. */
  readonly unknown: readonly string[]
  /** Where the files were. */
  readonly folder: string
}

export type Seen = Readonly<Record<string, number>>

/** Invariant R6 for a program that has ended by itself. */
const LEFT_MS = 10_000

/** Plays one scenario to its end, and has it checked. After a violation its files stay where they are. */
export async function play(scenario: Scenario): Promise<Played> {
  const { seed, deaths, children, two, messages = 0 } = scenario
  const share = two ? Math.ceil(children / 2) : children
  const stories = (two ? ['a', 'b'] : ['a']).map((prefix, at) =>
    storyOf({ ...scenario, seed: seed + at, children: share, prefix }),
  )
  await using world = await World.open(stories, scenario)
  const person = new Person(world, { seed, messages, features: scenario.features })
  const random = randomOf(seed + 2)
  const courses = stories.map((story, at) => {
    const own = deaths.filter((_, index) => index % stories.length === at)
    const { pages, served, all } = scenario
    return { story, deaths: own, random, pages, served, all, seed: seed + at }
  })
  const driven = await Promise.all(courses.map((course) => drive(world, course)))
  await person.rest()
  // what was begun at the last moment, and perhaps killed, is driven to its end too
  const last = await Promise.all(courses.map((course) => drive(world, { ...course, deaths: [] })))
  await person.leave()
  const driving = [...driven, ...last, person].flatMap((one) => one.violations)
  const found = await judge(world, stories, scenario, driving)
  const unknown = unknownCalls(world)
  return {
    unknown,
    seen: seenIn(world),
    kills: driven.reduce((sum, { kills }) => sum + kills, 0),
    violations: found,
    recoveriesMs: driven.flatMap(({ recoveriesMs }) => recoveriesMs),
    quietMs: Math.max(...driven.map(({ quietMs }) => quietMs)),
    folder: world.user.root,
  }
}

export function unknownCalls(world: World): readonly string[] {
  const { calls } = readRecords(world.user.database)
  return calls.filter(({ status }) => status === 'unknown').map(({ title }) => title)
}

export function seenIn(world: World): Seen {
  const { runs, branches, calls, grants, inbox } = readRecords(world.user.database)
  const { sent, signals } = world
  return {
    runs: runs.length,
    'at depth 3': runs.filter(({ depth }) => depth === 3).length,
    forks: branches.filter(({ kind }) => kind === 'fork').length,
    'typed reports': runs.filter(({ output }) => output !== null).length,
    edits: calls.filter(({ tool, status }) => isCallOf('edit', tool) && status === 'completed').length,
    grants: grants.length,
    'out of budget': world.user.rows(BROKE).length,
    cancelled: runs.filter(({ status }) => status === 'cancelled').length,
    messages: inbox.filter(({ run }) => run === null).length,
    posts: sent.filter(({ text }) => text.startsWith('Post ')).length,
    signals,
    'in a cell': world.user.rows(CONFINED).length,
  }
}

const CONFINED = `SELECT 1 FROM tool_calls WHERE facts LIKE '%"no-network"%'`

/** Runs that have paused because there was no money left, whatever became of them. */
const BROKE = `SELECT 1 FROM events WHERE events LIKE '%"endReason":"budget"%' OR events LIKE '%"reason":"budget"%'`

/** What is wrong with what the programs have left, after what was wrong while they ran. */
export async function judge(
  world: World,
  stories: readonly Story[],
  { keep, off, all }: Pick<Scenario, 'keep' | 'off' | 'all'>,
  before: readonly string[] = [],
): Promise<readonly string[]> {
  const left = await leftAtTheEnd(world, off ? 0 : LEFT_MS)
  const { database, directory } = world.user
  const found = [
    ...before,
    ...left,
    ...violations({ database, directory, stories, witness: world.witness(), isAll: all }),
  ]
  if (keep || (found.length > 0 && !off)) world.writeLog()
  else world.keeps = false
  return found
}

async function leftAtTheEnd(world: World, limitMs: number): Promise<string[]> {
  const until = Date.now() + limitMs
  while (world.everything().length > 0 && Date.now() < until) await setTimeout(50)
  return world.everything().map((one) => `R6: ${one} is left at the end`)
}
