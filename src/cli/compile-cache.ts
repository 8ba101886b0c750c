import nodeModule from 'node:module'
import { isAbsolute, join } from 'node:path'

/**
 * Keeps what Node makes of the sources for the next start, which then takes half the time. Where it cannot be written
 * nothing is kept; `NODE_COMPILE_CACHE` and `NODE_DISABLE_COMPILE_CACHE` count as they do for Node.
 */
export function keepCompiled({ XDG_CACHE_HOME = '', HOME = '' }: NodeJS.ProcessEnv): void {
  const base = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : isAbsolute(HOME) && join(HOME, '.cache')
  if (base) nodeModule.enableCompileCache(join(base, 'offshoot', 'compiled'))
}
