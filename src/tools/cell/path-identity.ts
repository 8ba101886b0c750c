import { closeSync, constants, fstatSync, openSync, readlinkSync, type Stats } from 'node:fs'

/** Opens only the name, also of what cannot be read; Node has no constant for it. */
const O_PATH = 0o10000000

/** Which file or directory is at this very path now; undefined: none is, it is a link, or a link leads elsewhere. */
export function identityAt(path: string, flags = 0): string | undefined {
  let fd: number | undefined
  try {
    fd = openSync(path, O_PATH | constants.O_NOFOLLOW | flags)
    const stats = fstatSync(fd)
    return readlinkSync(`/proc/self/fd/${fd}`) === path && !stats.isSymbolicLink()
      ? identityOf(stats)
      : undefined
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

export function identityOf({ dev, ino }: Stats): string {
  return `${dev}:${ino}`
}
