import { readdirSync, readFileSync } from 'node:fs'

const CLOSED_ON_EXEC = 0o2000000

/** Open files of this process that a child of it would have too. */
export function inheritableDescriptors(): number[] {
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((fd) => {
      try {
        const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] ?? '0'
        return (Number.parseInt(flags, 8) & CLOSED_ON_EXEC) === 0
      } catch {
        return false // that of the directory that was being read
      }
    })
}
