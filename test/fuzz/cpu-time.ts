/** What this thread has computed so far. Milliseconds; unlike the time that passes, it is the same on a busy machine. */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
