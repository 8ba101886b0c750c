import { finish } from '../support/runtime-harness.ts'
import { agent } from '../support/runtime-harness.ts'
import type { ModelRequest } from '../../src/model/port.ts'
import { randomOf } from './random.ts'

/** What the agents and people of a world are like, and in how many of a hundred worlds they are so. */
const chances = {
  /** Nobody is there who could answer. */
  unattended: 6,
  /** What agents say is long, and little of a report is to be read by who gets it. */
  'long reports': 10,
  /** Agents say that they have changed a file, and have not. */
  boasts: 10,
  /** A subagent may take so many tokens, and every answer is as long as it may be. */
  caps: 10,
  /** The death of a process is a loss of power. */
  'power cuts': 15,
  /** `general` has not all tools; what it starts has not either. */
  strict: 12,
  /** Whoever takes up what a process left is asked at the same moment to pause some of it. */
  'stops beside recoveries': 10,
  /** Commands of other processes are withdrawn when they have just begun, and others come right behind them. */
  'withdrawn commands': 10,
} as const

export type Trait = keyof typeof chances

/** Drawn apart from everything else: the rest of a world stays as it is. A new one comes last, so that the others stay too. */
export function traitsOf(seed: number): ReadonlySet<Trait> {
  const random = randomOf(seed, 'traits')
  const drawn = Object.entries(chances).filter(([, percent]) => random.chance(percent / 100))
  return new Set(drawn.map(([name]) => name as Trait))
}

export const BOASTED = 'made.ts'
/** Tokens of a report that its reader has to see, where reports are long. */
export const MAX_REPORT_TOKENS = 200
/** Tokens that a subagent may take, where it is told so. */
export const CAP = 4_000
const LONG = 'All that was found, at length. '.repeat(100)

/** What an agent says around its word. */
export function spoken(traits: ReadonlySet<Trait>, word: string): string {
  const boast = traits.has('boasts') ? `I wrote ${BOASTED}. ` : ''
  return `${boast}${traits.has('long reports') ? LONG : ''}${word}`
}

/** How an answer ends that takes all that it may. */
export function cappedEnd(unified: string, { maxOutputTokens = 2 * CAP }: ModelRequest) {
  const { usage, ...end } = finish(unified)
  const total = Math.min(2 * CAP, maxOutputTokens)
  return { ...end, usage: { ...usage, outputTokens: { total, text: total, reasoning: 0 } } }
}

/** What is withheld from `general` in a strict world. */
export const WITHHELD = 'append'
export const STRICT = agent('general', { disallowedTools: [WITHHELD] })
