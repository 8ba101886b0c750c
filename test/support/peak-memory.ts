import { readFileSync } from 'node:fs'

/**
 * The most memory that a process has had, in MiB. `getrusage` counts what the parent had when it forked, so that its number
 * in a child of a large test run is that of the test run.
 */
export function peakMemory(pid: number | 'self' = 'self'): number {
  const status = statusOf(pid)
  const peak = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]
  return Math.round(peak ? Number(peak) / 1024 : process.memoryUsage.rss() / 1024 / 1024)
}

/** Empty where there is no /proc. */
function statusOf(pid: number | 'self'): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}
