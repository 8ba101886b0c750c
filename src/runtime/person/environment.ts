import { userInfo } from 'node:os'
import { hasRunMark, isStartedByRun, markedEnvironment } from '../../exec/lineage.ts'
import { configHome, type Env } from '../config.ts'

/**
 * The environment of a process. Where a run has started it an agent could have changed that: the mark of the run is in
 * it all the same, and the configuration is the person's.
 */
export function callerEnvironment(env: Env, pid: number): Env {
  if (!hasRunMark(env) && !isStartedByRun(pid)) return env
  const outermost = markedEnvironment(pid)
  const mark = env['OFFSHOOT_RUN_ID'] || outermost?.['OFFSHOOT_RUN_ID'] || 'unknown'
  return { ...env, OFFSHOOT_RUN_ID: mark, ...configOf(outermost ?? { HOME: systemHome() }) }
}

/** Whether a run has started the process of this environment. Then nobody sits at its terminal. */
export function isOfRun(env: Env): boolean {
  return hasRunMark(env)
}

/** Without a home the person has no configuration. */
function configOf(env: Env): Env {
  try {
    return { XDG_CONFIG_HOME: configHome(env) }
  } catch {
    return {}
  }
}

/** As the system knows it, whatever HOME says. */
function systemHome(): string | undefined {
  try {
    return userInfo().homedir
  } catch {
    return undefined // a user whom the system does not know
  }
}
