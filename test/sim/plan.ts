import { faultPoints, type FaultPoint } from '../support/faults.ts'
import { randomOf, type Random } from './random.ts'

/** How a process ends before its work is done. */
export type Doom =
  | { readonly type: 'point'; readonly point: FaultPoint; readonly nth: number }
  | { readonly type: 'commit'; readonly nth: number; readonly when: 'before' | 'after' }
  | { readonly type: 'time'; readonly afterMs: number }
  /** It stands still, and wakes as if nothing had happened. */
  | { readonly type: 'stopped'; readonly at: StopAt; readonly forMs: number }

export type StopAt = Exclude<Doom, { readonly type: 'stopped' }>

/** What happens in one world, as far as it is known beforehand. */
export interface Plan {
  /** The fate of each process that drives, the first one first. The one after them lives. */
  readonly dooms: readonly Doom[]
  /** How long it takes until somebody starts the next process, milliseconds. */
  readonly downMs: readonly number[]
  /** The next process is on another machine, where nobody sees whether the last one lives. */
  readonly moves: boolean
  /** How long a piece of an answer, or a tool, takes at most, milliseconds. */
  readonly paceMs: number
  readonly disk: { readonly delayMs: number; readonly failure: number }
  readonly model: { readonly trouble: number }
  /** What people do: when, and how. */
  readonly actions: readonly { readonly atMs: number; readonly kind: Action }[]
  readonly maxConcurrent: number
  readonly maxDepth: number
  /** How many calls an answer has at most. */
  readonly width: number
  /** A call that ends its process whenever it is tried (invariant R7). */
  readonly poison: boolean
  readonly continuesAtEnd: boolean
}

const ACTIONS = [
  'say',
  'say',
  'steer',
  'steer',
  'continue',
  'pause',
  'pause all',
  'interrupt',
  'cancel',
  'background',
  'withdraw',
] as const

export type Action = (typeof ACTIONS)[number]

export function planOf(seed: number): Plan {
  const random = randomOf(seed, 'plan')
  const isSlow = random.chance(0.15)
  const paceMs = isSlow ? random.between(500, 3_000) : random.between(2, 60)
  const dooms = Array.from({ length: random.pick([0, 1, 1, 1, 2, 2, 3, 4]) }, () => doomOf(random, isSlow))
  const span = paceMs * 40
  return {
    dooms,
    downMs: dooms.map(() => random.pick([0, 1, 100, 2_500])),
    moves: random.chance(0.15),
    paceMs,
    disk: { delayMs: random.pick([0, 0, 1, 30]), failure: random.chance(0.12) ? 0.1 : 0 },
    model: { trouble: random.pick([0, 0, 0.05, 0.2]) },
    actions: Array.from({ length: random.pick([0, 1, 2, 4]) }, () => ({
      atMs: random.between(0, span),
      kind: random.pick(ACTIONS),
    })).toSorted((a, b) => a.atMs - b.atMs),
    maxConcurrent: random.between(1, 3),
    maxDepth: random.pick([1, 2, 2]),
    width: random.between(1, 4),
    poison: random.chance(0.04),
    continuesAtEnd: random.chance(0.6),
  }
}

function doomOf(random: Random, isSlow: boolean): Doom {
  const at = stopOf(random, isSlow)
  return random.chance(0.15)
    ? { type: 'stopped', at, forMs: random.pick([1_000, 14_000, 17_000, 40_000]) }
    : at
}

function stopOf(random: Random, isSlow: boolean): StopAt {
  const kind = random.next()
  if (kind < 0.6) return { type: 'point', ...pointOf(random, isSlow) }
  if (kind < 0.9)
    return { type: 'commit', nth: random.between(1, 50), when: random.pick(['before', 'after']) }
  return { type: 'time', afterMs: random.between(0, isSlow ? 20_000 : 800) }
}

/** Migrations have a test of their own; a lease is renewed by what lives long enough. */
function pointOf(random: Random, isSlow: boolean): { point: FaultPoint; nth: number } {
  const points = faultPoints.filter(
    (point) => !point.startsWith('migration') && (isSlow || !point.startsWith('lease')),
  )
  const point = random.pick(points)
  return { point, nth: point.startsWith('recovery') ? 1 : random.between(1, 12) }
}
