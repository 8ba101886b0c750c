import type { ChildProcess } from 'node:child_process'

/** Running commands of this process, and the run of each. */
const runs = new Map<number, { readonly child: ChildProcess; readonly runId: string }>()

/** Records the run of a child process. The command's environment proves nothing, because the command can change it. */
export function keepRunOf(child: ChildProcess, runId: string | undefined): void {
  const { pid } = child
  if (pid === undefined || !runId) return
  runs.set(pid, { child, runId })
  child.once('exit', () => {
    if (runs.get(pid)?.child === child) runs.delete(pid)
  })
}

/** The run that started a child process of this process. */
export function runOfCommand(pid: number): string | undefined {
  return runs.get(pid)?.runId
}
