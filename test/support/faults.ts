import { appendFileSync } from 'node:fs'
import {
  faultPoints,
  mechanisms,
  type FaultPoint,
  type Faults,
  type Mechanism,
} from '../../src/core/faults.ts'

/** What an environment asks of the program in a test build. */
interface FaultEnvironment {
  /** Mechanisms that are switched off, with commas between them. */
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
  const off = new Set(list(env.TEST_OFF).map((name) => known<Mechanism>(name, mechanisms)))
  const deaths = new Map(list(env.TEST_FAULT).map(deathOf))
  const times = new Map<FaultPoint, number>()
  return {
    isOff: (mechanism) => off.has(mechanism),
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
