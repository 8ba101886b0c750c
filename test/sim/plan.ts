import { faultPoints, type FaultPoint } from '../support/faults.ts'
import { NOT_YET } from '../support/not-yet.ts'
import type { Feature } from './features.ts'
import { randomOf, type Random } from './random.ts'

/** How a process ends before its work is done. */
export type Doom =
  | { readonly type: 'point'; readonly point: FaultPoint; readonly nth: number }
  | { readonly type: 'commit'; readonly nth: number; readonly when: 'before' | 'after' }
  | { readonly type: 'time'; readonly afterMs: number }
  /** It stands still, and wakes as if nothing had happened. */
  | { readonly type: 'stopped'; readonly at: StopAt; readonly forMs: number }
  /** It gets SIGTERM: it pauses what it drives, gives it back, and ends. */
  | { readonly type: 'signalled'; readonly at: StopAt; readonly killedAfter?: number }

export type StopAt = Exclude<Doom, { readonly type: 'stopped' | 'signalled' }>

/** What happens in one world, as far as it is known beforehand. */
export interface Plan {
  readonly features: ReadonlySet<Feature>
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
  readonly conversations: number
  /** When a process comes that drives what nobody drives, and how it ends. */
  readonly second: { readonly atMs: number; readonly doom: Doom | undefined } | undefined
  /** What the answers of one conversation may cost, US dollars; null: they cost nothing. */
  readonly budgetUsd: number | null
  readonly maxTokens: number | undefined
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

/** What people do in worlds that have it. */
const OWN_ACTIONS = {
  forks: ['fork', 'fork', 'fork and say'],
  messages: ['message', 'message', 'steer'],
  spawns: ['spawn'],
  grants: ['revoke'],
  money: ['pay', 'pay'],
  keys: ['message again'],
  signals: ['message', 'message', 'message'],
} as const satisfies Partial<Record<Feature, readonly string[]>>

export type Action = (typeof ACTIONS)[number] | (typeof OWN_ACTIONS)[keyof typeof OWN_ACTIONS][number]

/** The same for a seed each time. What a feature adds is drawn apart: without it the rest is as before. */
export function planOf(seed: number, features: ReadonlySet<Feature>, isAll = false): Plan {
  const narrow = narrowPlanOf(seed)
  const random = randomOf(seed, 'wider plan')
  const has = (feature: Feature) => features.has(feature)
  const span = narrow.paceMs * 40
  const own = Object.entries(OWN_ACTIONS)
    .filter(([feature]) => has(feature as Feature))
    .flatMap(([, kinds]) => Array.from({ length: random.between(1, 3) }, () => random.pick<Action>(kinds)))
  const actions = own.map((kind) => ({ atMs: random.between(0, span), kind }))
  const dooms = narrow.dooms.map((doom) =>
    has('signals') && doom.type !== 'stopped' && random.chance(0.5)
      ? signalledAt(random, doom as StopAt, isAll)
      : doom,
  )
  const isSlow = narrow.paceMs >= SLOW_MS
  const isPausing = has('depth 3') && !isAll && NOT_YET.has('late pauses')
  const second = {
    atMs: random.between(0, span),
    doom: random.chance(0.5) ? doomOf(random, isSlow) : undefined,
  }
  return {
    ...narrow,
    features,
    dooms: has('nested mail') ? [] : dooms,
    actions: [...narrow.actions, ...actions]
      .map((each) =>
        isPausing && each.kind.startsWith('pause') ? { ...each, kind: 'interrupt' as const } : each,
      )
      .toSorted((a, b) => a.atMs - b.atMs),
    conversations: has('two conversations') ? 2 : 1,
    second: has('second process') ? second : undefined,
    budgetUsd: has('money') ? random.pick([0.1, 0.3, 1]) : null,
    maxTokens: has('tokens') ? random.pick([600, 1_500, 5_000]) : undefined,
    maxDepth: has('nested mail') ? random.pick([2, 3]) : has('depth 3') ? 3 : narrow.maxDepth,
    width: has('depth 3') || has('two conversations') ? Math.min(2, narrow.width) : narrow.width,
    poison: narrow.poison && !has('nested mail'),
  }
}

/** Some are killed while they end: after the first commits of that. */
function signalledAt(random: Random, at: StopAt, isAll: boolean): Doom {
  const killedAfter = random.chance(0.4) ? random.between(1, 6) : undefined
  const isKilled = killedAfter !== undefined && (isAll || !NOT_YET.has('half a stop'))
  return { type: 'signalled', at, ...(isKilled ? { killedAfter } : {}) }
}

type NarrowPlan = Omit<Plan, 'features' | 'conversations' | 'second' | 'budgetUsd' | 'maxTokens'>

const SLOW_MS = 500

function narrowPlanOf(seed: number): NarrowPlan {
  const random = randomOf(seed, 'plan')
  const isSlow = random.chance(0.15)
  const paceMs = isSlow ? random.between(SLOW_MS, 3_000) : random.between(2, 60)
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
