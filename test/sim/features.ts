import { NOT_YET } from '../support/not-yet.ts'
import { randomOf } from './random.ts'

/** What a world can have beside its faults, and in how many of a hundred worlds it has it. */
export const chances = {
  /** Subagents down to depth 3. */
  'depth 3': 15,
  /** Branches made at any message, of subagents and in the middle of an answer too; half of them with a text. */
  forks: 12,
  /** Messages of people to any branch, at any depth, to be read at once or later. */
  messages: 18,
  /** Subagents that people start. */
  spawns: 8,
  /** Agents with typed input and typed reports, called as tools of their own too. */
  typed: 12,
  /** Answers that hold for a run, a conversation or a project, and are taken back. */
  grants: 15,
  /** Answers cost money, and there is not enough. */
  money: 8,
  /** Tokens run out. */
  tokens: 5,
  /** Messages with an Idempotency-Key, sent again: at the same time, later, and after the death of who took them. */
  keys: 8,
  /** People continue, fork and speak in processes of their own, which drive what they begin. */
  terminals: 12,
  /** A second process that drives whatever nobody drives. */
  'second process': 8,
  'two conversations': 6,
  /** Processes are asked to end (SIGTERM): they pause what they drive, and give it back. */
  signals: 12,
  /** A subagent of a subagent ends its process whenever it runs, and gets messages while nobody drives it. */
  'nested mail': 3,
} as const

export type Feature = keyof typeof chances

/** More than so many make a world large, and slow. */
const MOST = 2

/** Drawn apart from everything else: a feature less does not change the rest of a world. */
export function featuresOf(seed: number, isAll: boolean): ReadonlySet<Feature> {
  const random = randomOf(seed, 'features')
  const drawn = Object.entries(chances).filter(([, percent]) => random.chance(percent / 100))
  const names = drawn.map(([name]) => name as Feature)
  while (names.length > MOST) names.splice(random.between(0, names.length - 1), 1)
  return new Set(names.filter((name) => isAll || name !== 'nested mail' || !NOT_YET.has(name)))
}
