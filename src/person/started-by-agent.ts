import { userInfo } from 'node:os'
import { environmentAbove, hasRunMark, isStartedByRun } from '../exec/run-marks.ts'
import { configHome, type Env } from '../config/homes.ts'

/**
 * The environment of a process. If a run started it, an agent could have changed that: the run's mark stays, and the
 * configuration is the person's.
 */
export function callerEnvironment(env: Env, pid: number): Env {
  if (!hasRunMark(env) && !isStartedByRun(pid)) return env
  const mark = env['OFFSHOOT_RUN_ID'] || 'unknown' // proves that there is a run, but not which
  const above = environmentAbove(pid)
  return { ...env, OFFSHOOT_RUN_ID: mark, ...placesOf({ ...above, HOME: above?.['HOME'] || systemHome() }) }
}

/** The person's configuration and agent files. Empty without a home and without an own location. */
function placesOf(env: Env): Env {
  const { HOME, XDG_CONFIG_HOME } = env
  if (!HOME) return XDG_CONFIG_HOME ? { XDG_CONFIG_HOME } : {}
  return { HOME, XDG_CONFIG_HOME: configHome(env) }
}

/** From the system, not from HOME. */
function systemHome(): string | undefined {
  try {
    return userInfo().homedir
  } catch {
    return undefined // a user unknown to the system
  }
}
