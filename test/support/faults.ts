import { appendFileSync } from 'node:fs'

/** What each promise rests on. Tests take one away at a time; docs/durability.md says how, and which test notices. */
export const mechanisms = [
  // delivery and durability: invariants D1 to D5, R1 to R6
  'intent-rows',
  'unique-delivery',
  'leases',
  'unknown-outcome',
  'answer-after-commit',
  'full-sync',
  'process-mark',
  // the promises of docs/control.md
  'waking',
  'stated-reason',
  'authority-chain',
  'attribution',
  'attendance',
  'answer-once',
  'reservation',
  'request-check',
  'watchdog',
  'whole-tree-stop',
  'receipts',
  'claim-check',
  'report-bound',
] as const

export type Mechanism = (typeof mechanisms)[number]

/**
 * Where the test build can end or stop the program. Decorators of ports find all of them (docs/durability.md); the sources
 * of the program name none.
 */
export const faultPoints = [
  'intent.before',
  'intent.after',
  'effect.before',
  'effect.after',
  'result.before',
  'result.after',
  'delivery.before',
  'delivery.after',
  'migration.before',
  'migration.after',
  'lease.before',
  'lease.after',
  'recovery.before',
  'recovery.taken',
  'recovery.killed',
  'recovery.after',
] as const

export type FaultPoint = (typeof faultPoints)[number]

/** Mechanisms that a decorator of a port takes away. The others need other sources (test/mutants). */
export const decorated = [
  'unique-delivery',
  'leases',
  'answer-after-commit',
  'full-sync',
  'process-mark',
  'watchdog',
  'receipts',
] as const satisfies readonly Mechanism[]

export type Decorated = (typeof decorated)[number]

/** What decorators do to a program. */
export interface Faults {
  readonly off: ReadonlySet<Mechanism>
  /** Returns, unless the program is to end or stop there. */
  readonly at: (point: FaultPoint) => void
}

export const isDecorated = (name: Mechanism): name is Decorated => decorated.some((each) => each === name)

/** What an environment asks of the program in a test build. */
interface FaultEnvironment {
  /** Mechanisms without which it runs, with commas between them. */
  readonly TEST_OFF?: string
  /**
   * `POINT:N`, with commas between several: the program kills itself with SIGKILL when it comes to POINT for the N-th
   * time. `POINT:N:stop`: it stands still there until it gets SIGCONT.
   */
  readonly TEST_FAULT?: string
  /** A file to which the name of each point is appended that the program comes to. */
  readonly TEST_POINTS?: string
}

/** @throws Error for a name that is none, so that no test passes because of a misspelling */
export function faultsOf(env: FaultEnvironment & NodeJS.ProcessEnv): Faults {
  const deaths = new Map(list(env.TEST_FAULT).map(deathOf))
  const times = new Map<FaultPoint, number>()
  return {
    off: new Set(list(env.TEST_OFF).map((name) => known<Decorated>(name, decorated))),
    at: (point) => {
      const time = (times.get(point) ?? 0) + 1
      times.set(point, time)
      if (env.TEST_POINTS) appendFileSync(env.TEST_POINTS, `${point}\n`)
      const death = deaths.get(point)
      if (death?.time === time) process.kill(process.pid, death.signal)
    },
  }
}

function deathOf(text: string) {
  const [name = '', time = '1', how] = text.split(':')
  const death = { time: Number(time), signal: how === 'stop' ? 'SIGSTOP' : 'SIGKILL' } as const
  return [known<FaultPoint>(name, faultPoints), death] as const
}

function known<T extends string>(name: string, names: readonly T[]): T {
  const found = names.find((each) => each === name)
  if (!found) throw new Error(`${name} is none of ${names.join(', ')}`)
  return found
}

function list(text = ''): string[] {
  return text.split(',').filter(Boolean)
}
