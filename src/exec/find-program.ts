import { accessSync, constants, realpathSync } from 'node:fs'
import { delimiter, isAbsolute, join, sep } from 'node:path'

export interface ProgramSearch {
  readonly path: string | undefined
  /** No program in these directories is taken: whoever writes there does not decide what starts outside the sandbox. */
  readonly outside: readonly string[]
}

/** A program by its name. Package managers put directories of a project on the PATH, and some people put `.` there. */
export function findProgram(name: string, { path = '', outside }: ProgramSearch): string | undefined {
  const file = process.platform === 'win32' ? `${name}.exe` : name
  const isWithin = (place: string) => outside.some((directory) => place.startsWith(directory + sep))
  return path
    .split(delimiter)
    .filter(isAbsolute)
    .map((directory) => join(directory, file))
    .find((candidate) => {
      try {
        accessSync(candidate, constants.X_OK)
        return !isWithin(candidate) && !isWithin(realpathSync(candidate))
      } catch {
        return false
      }
    })
}
