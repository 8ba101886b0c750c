import { readFileSync, rmSync, writeFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { errorMessage, OffshootError } from '../../core/errors.ts'
import { systemProcesses, type Processes } from './process-identity.ts'

/** How to find the server of this store: `server.json` beside the token. */
export interface ServerFile {
  readonly port: number
  readonly pid: number
  /** Start time of that process, in ticks since boot. */
  readonly pid_start: number
}

const schema = z.lazy(() => z.object({ port: z.int().min(1).max(65_535), pid: z.int(), pid_start: z.int() }))

/**
 * The returned function removes the file, unless another server has written its own since. @throws OffshootError
 * `store_readonly`
 */
export function writeServerFile(
  home: string,
  port: number,
  processes: Processes = systemProcesses(),
): () => void {
  const file = join(home, 'server.json')
  const { pid, pidStart } = processes.self
  const own = `${file}.${pid}`
  try {
    writeFileSync(own, `${JSON.stringify({ port, pid, pid_start: pidStart })}\n`, { mode: 0o600 })
    renameSync(own, file)
  } catch (cause) {
    rmSync(own, { force: true })
    throw new OffshootError('store_readonly', `${file} cannot be written: ${errorMessage(cause)}`, { cause })
  }
  return () => {
    if (readFile(file)?.pid === pid) rmSync(file, { force: true })
  }
}

/** The running server; undefined if there is none, or its process has exited. */
export function runningServer(
  home: string,
  processes: Processes = systemProcesses(),
): ServerFile | undefined {
  const known = readFile(join(home, 'server.json'))
  return known && processes.startOf(known.pid) === known.pid_start ? known : undefined
}

function readFile(file: string): ServerFile | undefined {
  try {
    const parsed = schema.safeParse(JSON.parse(readFileSync(file, 'utf8')))
    return parsed.success ? parsed.data : undefined
  } catch {
    return undefined
  }
}
