import { readFileSync, statSync } from 'node:fs'

/** The process that is writing to the store now, if the system tells (Linux). */
export function writerOf(file: string): number | undefined {
  return holdersOf(file, WRITE_LOCK)[0]
}

/** Other processes that have the store open, if the system tells (Linux); elsewhere none. */
export function othersWith(file: string): readonly number[] {
  return holdersOf(file, OPEN_LOCK).filter((pid) => pid !== process.pid)
}

/** Bytes of the `-shm` file: a writer locks one, every user of the database the other (sqlite.org/walformat.html). */
const WRITE_LOCK = 120
const OPEN_LOCK = 128

function holdersOf(file: string, byte: number): number[] {
  const inode = statSync(`${file}-shm`, { throwIfNoEntry: false })?.ino
  if (inode === undefined) return []
  const held = new RegExp(`:${inode} ${byte} ${byte}$`)
  return readLocks()
    .filter((line) => held.test(line))
    .map((line) => Number(/(?:READ|WRITE) +(\d+) /.exec(line)?.[1]))
}

function readLocks(): string[] {
  try {
    return readFileSync('/proc/locks', 'utf8').split('\n')
  } catch {
    return []
  }
}
