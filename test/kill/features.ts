import { randomOf } from './random.ts'

/** What a story can have beside its kills, and in how many of a hundred it has it. */
export const chances = {
  /** Subagents of subagents start some too. */
  'depth 3': 50,
  /** `write` and `edit` of larger files. */
  files: 60,
  /** A typed agent, called as a tool; half of its first reports are no JSON. */
  typed: 40,
  /** Some answers hold for the run or the conversation. */
  grants: 40,
  /** The money runs out, and a person gives more. */
  budget: 12,
  /** A person pauses, continues, cancels and forks at any depth, in terminals of their own. */
  control: 45,
  /** Other terminals come while a program drives the conversation: `recover` and `run`. */
  terminals: 25,
  /** Some programs get SIGTERM, SIGINT or SIGHUP in place of SIGKILL, at their start too. */
  signals: 45,
  /** Commands run in a sandbox, where the machine has one. */
  sandbox: 40,
} as const

export type Feature = keyof typeof chances

export function featuresOf(seed: number): ReadonlySet<Feature> {
  const random = randomOf(seed + 4)
  const drawn = Object.entries(chances).filter(([, percent]) => random() < percent / 100)
  return new Set(drawn.map(([name]) => name as Feature))
}
