import { accessSync, constants, readdirSync } from 'node:fs'
import { delimiter, isAbsolute, resolve } from 'node:path'
import { SECOND_NAMES, isOfSystem, type CellPlaces } from './cell-layout-of.ts'
import { isWithin } from './is-within.ts'
import { identityAt } from './path-identity.ts'

const MAX_CHARS = 1_000
/** Nothing that a terminal, a pattern or a command line reads as something else than a name. */
const STRANGE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}*?\\"'`]/u

/** Why a text names no directory that could be asked for, whatever this machine has. */
export function directoryProblem(text: string): string | undefined {
  const quoted = JSON.stringify(text.slice(0, 100))
  if (!isAbsolute(text) || text.length > MAX_CHARS) return `${quoted}: it is not an absolute path`
  if (STRANGE.test(text)) return `${quoted}: its name has characters that cannot be asked for`
  return resolve(text) === text ? undefined : `${quoted}: write it as ${JSON.stringify(resolve(text))}`
}

/**
 * Why nobody can make a directory writable in a cell by an answer: it is the system's, the program's or its protection's,
 * or holds what is, or may hold credentials. By its name alone, so that asking tells nothing of what is there.
 */
export function whyNeverWidened(places: CellPlaces, directory: string): string | undefined {
  const { directories, home, realHome, ownDirectories, env } = places
  const why = (text: string) => `${directory} cannot be made writable: ${text}`
  const touches = (path: string) => isWithin(directory, path) || isWithin(path, directory)
  const problem = directoryProblem(directory)
  if (problem !== undefined) return problem
  if (directories.some((each) => isWithin(each, directory)))
    return why('it is in a directory of the run, and what cannot be written there is protected')
  if ([...directories, home, realHome].some((each) => isWithin(directory, each)))
    return why('it holds the home directory or a directory of the run')
  if (ownDirectories.some(touches)) return why('it belongs to the data or the settings of Offshoot')
  if (directory.split('/').some((name) => name.startsWith('.')))
    return why('a hidden directory may hold credentials or settings')
  if (
    isOfSystem(directory) ||
    SHARED.has(directory) ||
    OF_MACHINE.some(touches) ||
    SECOND_NAMES.some(touches)
  )
    return why('it belongs to the system')
  const programs = (env['PATH'] ?? '').split(delimiter).filter(isAbsolute)
  return programs.some(touches) ? why('programs on your PATH are in it') : undefined
}

/** As a whole they belong to everybody. */
const SHARED: ReadonlySet<string> = new Set(['/tmp', '/home', '/root', '/mnt', '/media'])
/** Beside the places of programs. */
const OF_MACHINE = ['/boot', '/run', '/var', '/lost+found', '/snap']

/** The same at the moment of use: it is a directory, no link leads elsewhere, and no socket in it to another program. */
export function whyNotWidened(places: CellPlaces, directory: string): string | undefined {
  const never = whyNeverWidened(places, directory)
  if (never !== undefined) return never
  const why = (text: string) => `${directory} cannot be made writable: ${text}`
  if (directoryAt(directory) === undefined)
    return why('it is not there, cannot be read, is not a directory, or a link leads elsewhere')
  const hasSocket = readdirSync(directory, { withFileTypes: true }).some((entry) => entry.isSocket())
  return hasSocket ? why('a socket of a program is in it') : undefined
}

/** Which directory is at this very path now; undefined: none is that can be read, or a link leads elsewhere. */
function directoryAt(path: string): string | undefined {
  try {
    accessSync(path, constants.R_OK)
    return identityAt(path, constants.O_DIRECTORY)
  } catch {
    return undefined
  }
}
