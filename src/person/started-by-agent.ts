import { userInfo } from 'node:os'
import { environmentAbove, hasRunMark, isStartedByRun } from '../exec/run-marks.ts'
import { configHome, type Env } from '../config/homes.ts'

/**
 * The environment of a process. Where a run has started it an agent could have changed that: the mark of a run is in
 * it all the same, and the configuration is the person's.
 */
export function callerEnvironment(env: Env, pid: number): Env {
  if (!hasRunMark(env) && !isStartedByRun(pid)) return env
  const mark = env['OFFSHOOT_RUN_ID'] || 'unknown' // says that there is a run, and never which
  const above = environmentAbove(pid)
  return { ...env, OFFSHOOT_RUN_ID: mark, ...placesOf({ ...above, HOME: above?.['HOME'] || systemHome() }) }
}

/** Where the person's configuration and agent files are. Without a home and a place of its own there is none. */
function placesOf(env: Env): Env {
  const { HOME, XDG_CONFIG_HOME } = env
  if (!HOME) return XDG_CONFIG_HOME ? { XDG_CONFIG_HOME } : {}
  return { HOME, XDG_CONFIG_HOME: configHome(env) }
}

/** As the system knows it, whatever HOME says. */
function systemHome(): string | undefined {
  try {
    return userInfo().homedir
  } catch {
    return undefined // a user whom the system does not know
  }
}
