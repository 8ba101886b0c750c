import { accessSync, constants, existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path'
import { CERTIFICATES } from '../../exec/child-environment.ts'
import { SYSTEM, type CellLayout } from '../../exec/sandbox/cell-layout.ts'
import { guardOf } from '../guarded-files.ts'
import { isWithin } from './is-within.ts'
import type { Protection } from './protected-paths.ts'

export interface CellPlaces {
  /** Real paths; the first one is the workspace. */
  readonly directories: readonly [string, ...string[]]
  readonly home: string
  readonly realHome: string
  /** The program's own data and settings. */
  readonly ownDirectories: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Real paths where it matters which directory is meant. */
export function cellPlaces({
  directories,
  ownDirectories,
  env,
}: Omit<CellPlaces, 'home' | 'realHome'>): CellPlaces {
  const home = (env['HOME'] || systemHome()).replace(/(?<=.)\/+$/, '')
  return {
    directories,
    ownDirectories: ownDirectories.map(realOrSame),
    env,
    home,
    realHome: realOrSame(home),
  }
}

/** A user whom the system does not know has none. */
function systemHome(): string {
  try {
    return homedir() || '/'
  } catch {
    return '/'
  }
}

function realOrSame(path: string): string {
  return existsSync(path) ? realpathSync(path) : path
}

/** Why commands that work there cannot be confined; undefined where they can. */
export function whyNotConfined({ directories, realHome }: CellPlaces): string | undefined {
  const holder = directories.find((directory) => isWithin(directory, realHome))
  return holder && `${holder} holds the home directory, and a sandbox would have to show all of it`
}

export function layoutOf(
  places: CellPlaces,
  { readOnly, pinned, repositories }: Pick<Protection, 'readOnly' | 'pinned' | 'repositories'>,
): CellLayout {
  const { directories, home, ownDirectories } = places
  const writable = [...directories, ...repositories]
  const shown = programPlaces(places)
  const isVisible = (path: string) => [...writable, ...shown].some((directory) => isWithin(directory, path))
  return {
    workspace: directories[0],
    home: isOfSystem(home) || home === '/' ? null : home,
    writable,
    shown: [...shown, ...certificates(places.env, (path) => isOfSystem(path) || isVisible(path))],
    pinned,
    readOnly,
    hidden: [
      ...ownDirectories.filter((path) => isVisible(path) && existsSync(path)),
      ...shown.flatMap((directory) => secretsIn(directory, home)),
    ],
  }
}

/** Where programs of the user are, beside those of the system: versions of Node, Python, Rust, Go. */
const VARIABLES = ['NVM_DIR', 'VIRTUAL_ENV', 'PYENV_ROOT', 'JAVA_HOME', 'GOROOT', 'GOPATH', 'RUSTUP_HOME']
const IN_HOME = ['.rustup', '.nvm', '.pyenv']

function programPlaces({ directories, home, realHome, env }: CellPlaces): string[] {
  const onPath = (env['PATH'] ?? '')
    .split(delimiter)
    .filter(isAbsolute)
    .map((path) => programPlace(path, home))
  const others = [...VARIABLES.map((name) => env[name] ?? ''), ...IN_HOME.map((name) => join(home, name))]
  const places = [...onPath, ...others].map((path) => (path.length > 1 ? path.replace(/\/+$/, '') : path))
  const isOfPrograms = (path: string) =>
    !isWithin(path, home) &&
    !isWithin(path, realHome) &&
    guardOf(path) !== 'secret' &&
    !directories.some((directory) => isWithin(directory, path) || isWithin(path, directory))
  // where a link leads counts too: an agent may have put it there, in a project that is on the PATH
  const isShown = (path: string) =>
    isAbsolute(path) && isReadable(path) && !isOfSystem(path) && [path, realOrSame(path)].every(isOfPrograms)
  const found = [...new Set(places.filter(isShown))]
  return found.filter((path) => !found.some((other) => other !== path && isWithin(other, path)))
}

/** What stands beside `bin` belongs to its programs; not in the home, where everything stands beside it. */
function programPlace(path: string, home: string): string {
  const above = dirname(path)
  const isShared = isWithin(above, home) || above === join(home, '.local')
  return basename(path) === 'bin' && !isShared ? above : path
}

/** Command lines of services keep their tokens in the settings beside their `bin`: ~/.railway/config.json. */
function secretsIn(directory: string, home: string): string[] {
  const isHidden = isWithin(home, directory) && basename(directory).startsWith('.')
  return readdirSync(directory)
    .filter((name) => (isHidden && SETTINGS.test(name)) || guardOf(join(directory, name)) === 'secret')
    .map((name) => join(directory, name))
}

const SETTINGS = /\.(json|ya?ml)$/i

/** Files that the environment names, wherever they are; a file that holds a key too is not one. */
function certificates(env: CellPlaces['env'], isShown: (path: string) => boolean): string[] {
  const named = CERTIFICATES.map((name) => env[name] ?? '').filter(
    (path) => isAbsolute(path) && !isShown(path),
  )
  return [...new Set(named)].filter((path) => {
    try {
      const text =
        statSync(path).isFile() && statSync(path).size < MAX_CERTIFICATES ? readFileSync(path, 'latin1') : ''
      return text.includes('BEGIN CERTIFICATE') && !text.includes('PRIVATE KEY')
    } catch {
      return false // it is not there
    }
  })
}

const MAX_CERTIFICATES = 4 * 1024 * 1024

/** Second names of files, and devices. */
export const SECOND_NAMES = ['/proc', '/dev', '/sys']

export function isOfSystem(path: string): boolean {
  return SYSTEM.some((name) => isWithin(`/${name}`, path))
}

/** The PATH of a program that was started as another user names directories that this one may not read. */
function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.X_OK)
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
