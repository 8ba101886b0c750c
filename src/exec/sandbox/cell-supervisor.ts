// The supervisor of a cell: the program that bubblewrap starts inside (start-cell.ts is its other side). It starts the
// commands of a run and says what becomes of them. When it exits, the kernel ends all that is left in the cell. It reads from
// stdin and writes to stdout; both are sockets, which /proc opens for nobody else.
import { spawn, type ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { forward } from './cell-forward.ts'
import { createFrameReader, FRAMES, writeFrame, type CellCommand, type CellFrame } from './cell-frames.ts'

const FIRST_POLL_MS = 2
const LAST_POLL_MS = 50

const input = new Socket({ fd: 0, readable: true, writable: false })
const output = new Socket({ fd: 1, readable: false, writable: true })
const paused = new Set<Readable>()

// A signal to everything in the cell is for the commands.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) process.on(signal, () => {})
output.on('drain', resume)
output.on('error', leave)
input.on('data', createFrameReader(take, Number.MAX_SAFE_INTEGER))
input.on('error', leave)
input.on('close', leave)
say(FRAMES.ready, 0, await forwardAll(process.argv.slice(2)))

/** Arguments: a directory of sockets, and the names of those that are ports. */
async function forwardAll([directory, ...ports]: readonly string[]): Promise<object> {
  if (directory === undefined) return {}
  for (const port of ports) await forward(Number(port), `${directory}/${port}`)
  return { proxyPort: await forward(0, `${directory}/proxy`) }
}

function take({ kind, id, contents }: CellFrame): void {
  const value: unknown = JSON.parse(contents.toString())
  if (kind === FRAMES.start) start(id, value as CellCommand)
  if (kind === FRAMES.end) void end((value as { readonly graceMs: number }).graceMs)
}

function start(id: number, { program, args, directory, environment, input: text }: CellCommand): void {
  let child: ChildProcess
  try {
    child = spawn(program, args, {
      cwd: directory,
      env: environment,
      stdio: [text === null ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      detached: true,
    })
  } catch (error) {
    return failed(id, error)
  }
  child.on('error', (error) => {
    if (child.pid === undefined) failed(id, error)
  })
  if (child.pid === undefined) return
  say(FRAMES.started, id, { pid: child.pid })
  child.stdin?.on('error', () => {}) // a program need not read its input
  child.stdin?.end(text)
  pass(child.stdout!, id, FRAMES.output, FRAMES.outputEnd)
  pass(child.stderr!, id, FRAMES.errorOutput, FRAMES.errorOutputEnd)
  child.once('exit', (code, signal) => say(FRAMES.exited, id, { code, signal }))
}

function failed(id: number, error: unknown): void {
  say(FRAMES.failed, id, { code: (error as NodeJS.ErrnoException).code ?? null, message: String(error) })
}

/** A full pipe stops its writer. */
function pass(stream: Readable, id: number, kind: number, endKind: number): void {
  stream.on('data', (chunk: Buffer) => {
    if (output.write(writeFrame(kind, id, chunk))) return
    stream.pause()
    paused.add(stream)
  })
  stream.on('error', () => {}) // its 'close' follows
  stream.once('close', () => say(endKind, id))
}

function resume(): void {
  for (const stream of paused) stream.resume()
  paused.clear()
}

function say(kind: number, id: number, contents?: object): void {
  output.write(writeFrame(kind, id, contents))
}

/** SIGTERM to all; what is there after the grace ends with this process. */
async function end(graceMs: number): Promise<void> {
  const limit = Date.now() + graceMs
  if (others() > 0) signalAll()
  for (
    let pollMs = FIRST_POLL_MS;
    others() > 0 && Date.now() < limit;
    pollMs = Math.min(pollMs * 2, LAST_POLL_MS)
  )
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  leave()
}

function signalAll(): void {
  try {
    process.kill(-1, 'SIGTERM')
  } catch {
    // Nobody is left to be signalled.
  }
}

/** Processes of the cell beside its first one and this one. */
function others(): number {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return pids.filter((pid) => pid > 1 && pid !== process.pid && isAlive(pid)).length
}

function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2))
  } catch {
    return false
  }
}

function leave(): void {
  process.exit(0)
}
