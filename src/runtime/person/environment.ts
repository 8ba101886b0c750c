import { hasRunMark, markedEnvironment, RUN_MARKS } from '../../exec/lineage.ts'
import { configHome, type Env } from '../config.ts'

/**
 * The environment of this process, as it would be had the run that started it the last word: the mark of the run, and
 * where the person's configuration is. The same where no run has started it.
 */
export function withRunMark(env: Env, pid: number): Env {
  const outermost = markedEnvironment(pid)
  if (!outermost) return env
  const marks = RUN_MARKS.flatMap((name) => (outermost[name] ? [[name, outermost[name]]] : []))
  return { ...env, ...Object.fromEntries(marks), ...configOf(outermost) }
}

/** Whether a run has started the process of this environment: then nobody sits at its terminal. */
export function isOfRun(env: Env): boolean {
  return hasRunMark(env)
}

/** Without a home there is no configuration of the person. */
function configOf(env: Env): Env {
  try {
    return { XDG_CONFIG_HOME: configHome(env) }
  } catch {
    return {}
  }
}
