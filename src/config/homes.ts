import { homedir } from 'node:os'
import { join } from 'node:path'
import { OffshootError } from '../core/errors.ts'

export type Env = Readonly<Record<string, string | undefined>>

/** `$XDG_CONFIG_HOME`, or its default. */
export function configHome(env: Env): string {
  return env['XDG_CONFIG_HOME'] || join(homeOf(env), '.config')
}

/** Data directory: `$OFFSHOOT_HOME`, else `$XDG_DATA_HOME/offshoot`. */
export function dataHome(env: Env): string {
  return (
    env['OFFSHOOT_HOME'] || join(env['XDG_DATA_HOME'] || join(homeOf(env), '.local', 'share'), 'offshoot')
  )
}

/** Directories of the program's own settings and data. */
export function ownDirectories(env: Env): string[] {
  return [dataHome(env), join(configHome(env), 'offshoot')]
}

export function homeOf(env: Env): string {
  const home = env['HOME'] || systemHome()
  if (home) return home
  throw new OffshootError('config', 'there is no home directory: HOME is not set, and this user has none', {
    hint: 'Set HOME, or OFFSHOOT_HOME and XDG_CONFIG_HOME, to directories of yours.',
  })
}

function systemHome(): string | undefined {
  try {
    return homedir()
  } catch {
    return undefined // a user unknown to the system
  }
}
