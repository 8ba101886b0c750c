import type { RefusedPath } from '../command-cell.ts'
import type { ProcessResult } from '../../exec/run-process.ts'
import { isOfSystem, type CellPlaces } from './cell-layout-of.ts'
import { isWithin } from './is-within.ts'
import { directoryProblem, whyNeverWidened } from './widened-directories.ts'

const MAX_PATHS = 3
const MAX_LINES = 200
const READ_ONLY = /\bread-only file system\b/i
const MISSING = /\bno such file or directory\b/i

/**
 * Paths that the output of a failed command names as read-only, or as missing where the sandbox shows nothing. Programs
 * print what they like, and many print no absolute path: this is a hint, and nothing follows from it.
 */
export function refusedPaths(
  { output, exitCode }: Pick<ProcessResult, 'output' | 'exitCode'>,
  places: CellPlaces,
  writable: readonly string[],
): RefusedPath[] {
  if (exitCode === 0) return []
  const isInside = (path: string) => writable.some((each) => isWithin(each, path))
  const found = new Map<string, RefusedPath>()
  for (const line of output.split('\n').slice(-MAX_LINES)) {
    const isReadOnly = READ_ONLY.test(line)
    const path = isReadOnly || MISSING.test(line) ? pathIn(line) : undefined
    if (path === undefined || found.size === MAX_PATHS) continue
    if (!isReadOnly && (isInside(path) || isOwnOfCell(path, places))) continue
    const directory = parentOf(path)
    const canAsk = !isInside(path) && whyNeverWidened(places, directory) === undefined
    if (isReadOnly || canAsk) found.set(path, { path, isReadOnly, directory: canAsk ? directory : null })
  }
  return [...found.values()]
}

/** Where the cell has files of its own or those of the system, and what is missing there is missing. */
function isOwnOfCell(path: string, { home, realHome }: CellPlaces): boolean {
  if (isWithin(home, path) || isWithin(realHome, path)) return false
  return isOfSystem(path) || OWN.some((each) => isWithin(each, path))
}

const OWN = ['/tmp', '/var', '/run', '/proc', '/dev', '/sys']

/** The last absolute path: what comes before it is the program's own name. */
function pathIn(line: string): string | undefined {
  const quoted = [...line.matchAll(/(?<=['"‘“])\/[^'"’”]+(?=['"’”])/gu)].at(-1)?.[0]
  const plain = [...line.matchAll(/(?<=^|[\s:])\/[^\s:'"]+/g)].at(-1)?.[0]
  const path = quoted ?? plain
  return path !== undefined && directoryProblem(path) === undefined ? path : undefined
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/'
}
