import { userInfo } from 'node:os'
import { hasRunMark, isStartedByRun, markedEnvironment } from '../exec/run-marks.ts'
import { configHome, type Env } from '../config/homes.ts'

/**
 * The environment of a process. Where a run has started it an agent could have changed that: the mark of the run is in
 * it all the same, and the configuration is the person's.
 */
export function callerEnvironment(env: Env, pid: number): Env {
  if (!hasRunMark(env) && !isStartedByRun(pid)) return env
  const outermost = markedEnvironment(pid)
  // an agent can name another run in the environment of what it starts; not in that of the outermost process
  const mark = outermost?.['OFFSHOOT_RUN_ID'] || env['OFFSHOOT_RUN_ID'] || 'unknown'
  const home = outermost?.['HOME'] || systemHome()
  return { ...env, OFFSHOOT_RUN_ID: mark, ...placesOf({ ...outermost, HOME: home }) }
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
