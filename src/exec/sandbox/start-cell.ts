import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { lstatSync, readFileSync, readlinkSync, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { sleep, type Clock } from '../../core/clock.ts'
import { bounds } from '../../core/limits.ts'
import { ignoreLateRejection } from '../../core/rejections.ts'
import { keepAlive } from '../keep-alive.ts'
import { limitScript } from '../lock-limit.ts'
import { childrenOf, listProcesses, readEntry, readStatus, type ProcessEntry } from '../process-table.ts'
import { spawnError } from '../spawn-error.ts'
import type { Guard } from '../start-guard.ts'
import type { Ending, ProcessStart, StartedProcess } from '../started-process.ts'
import { systemClock } from '../system-clock.ts'
import { createFrameReader, FRAMES, writeFrame, type CellCommand, type CellFrame } from './cell-frames.ts'
import {
  ISOLATION,
  layoutArguments,
  protectedMounts,
  settingsFile,
  systemArguments,
  userArguments,
  userFiles,
  type CellLayout,
} from './cell-layout.ts'
import { hand, PIPES, pipesUpTo } from './cell-pipes.ts'
import { socketArguments, socketNames, type CellSockets } from './cell-sockets.ts'
import { withFixedDevices } from './fixed-devices.ts'
import { SandboxError } from './sandbox-error.ts'
import { systemCallFilter } from './system-call-filter.ts'
import { whyRefused } from './why-refused.ts'

export interface CellOptions {
  /** The path of bubblewrap. */
  readonly bubblewrap: string
  readonly layout: CellLayout
  /** Text of its ~/.gitconfig, which commands may change. The cell is made meanwhile. Default: it has none. Never rejects. */
  readonly gitSettings?: Promise<string> | undefined
  /** Without them the cell reaches nothing. */
  readonly sockets?: CellSockets | undefined
  /** What bubblewrap and the supervisor have in their environment: nothing else of ours is in it. */
  readonly marks: Readonly<Record<string, string>>
  readonly guard?: Guard | undefined
  readonly clock?: Clock
}

/**
 * A part of the machine, made for the commands of one run. It does not keep this process alive, and neither does a command
 * in it.
 */
export interface Cell {
  /** Of its loopback, where its proxy listens. */
  readonly proxyPort: number | undefined
  /** @throws SpawnError when the program does not start; SandboxError when the cell has ended. */
  start(command: ProcessStart): Promise<StartedProcess>
  /** Whether it still runs, and protects what it protected at its start. */
  isWhole(): boolean
  /** What is at a path in it, before a command has started there. @throws an error of the file system */
  statsOf(path: string): Stats
  /** Whether nothing runs in it but its own two processes; false also where that cannot be told. */
  isEmpty(): boolean
  /** Ends it with all that is in it: SIGTERM, and what is there after the grace is killed. Resolves when it is gone. */
  end(graceMs?: number): Promise<void>
}

/** A busy machine takes a second. */
const READY_MS = 20_000
const START_MS = 10_000
/** No piece of output is as long; a frame from inside is never trusted to be a frame. */
const MAX_FRAME_BYTES = 4 * 1024 * 1024
/** After the grace, for what the kernel has to do. */
const END_MS = 2_000
const EMPTY_POLL_MS = 2
const MAX_ERROR_CHARS = 4_000

/** @throws SandboxError with what bubblewrap or the kernel said. */
export async function startCell(options: CellOptions): Promise<Cell> {
  const { clock = systemClock, guard } = options
  const child = guard ? guard.launch(() => spawnBubblewrap(options)) : spawnBubblewrap(options)
  const gone = goneOf(child)
  const cell = new StartedCell({ child, gone, layout: options.layout, clock })
  const cancel = clock.after(READY_MS, () => child.kill('SIGKILL'))
  try {
    await keepAlive(cell.ready)
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  } finally {
    cancel()
  }
  return cell
}

const SUPERVISOR = '/run/offshoot'

function spawnBubblewrap(options: CellOptions): ChildProcess {
  const { bubblewrap, layout, marks, sockets, gitSettings } = options
  const { spawn } = process.getBuiltinModule('node:child_process') // as in run-process.ts
  const own = `${limitScript(marks)}; trap '' INT TERM HUP QUIT; exec "$@"`
  const fixed = ['--args', PIPES.args, '--info-fd', PIPES.info, '--seccomp', PIPES.filter].map(String)
  const command = [...supervisorCommand(), ...socketNames(sockets)]
  const starts = withFixedDevices([bubblewrap, ...fixed, '--', ...command])
  const child = spawn('/bin/sh', ['-c', own, 'sh', ...starts], {
    cwd: '/',
    env: { ...marks },
    stdio: pipesUpTo(gitSettings ? PIPES.gitSettings : PIPES.filter),
    detached: true,
  })
  const { passwd, group } = userFiles(layout.home)
  hand(child, PIPES.args, cellArguments(options).join('\0'))
  hand(child, PIPES.passwd, passwd)
  hand(child, PIPES.group, group)
  hand(child, PIPES.filter, systemCallFilter() ?? '')
  void gitSettings?.then((text) => hand(child, PIPES.gitSettings, text))
  return child
}

/** What a command line would show to everybody on the machine. */
function cellArguments({ layout, sockets, gitSettings }: CellOptions): string[] {
  const own = [
    ['--ro-bind-data', String(PIPES.passwd), '/etc/passwd'],
    ['--ro-bind-data', String(PIPES.group), '/etc/group'],
    layoutArguments(layout),
    gitSettings ? ['--file', String(PIPES.gitSettings), settingsFile(layout)] : [],
    ['--ro-bind', process.execPath, `${SUPERVISOR}/node`],
    ['--ro-bind', supervisor.source, supervisor.place],
    sockets === undefined ? [] : socketArguments(sockets),
    ['--remount-ro', '/', '--chdir', layout.workspace],
  ]
  return [...ISOLATION, ...userArguments(), ...systemArguments(), ...own.flat()]
}

/** The program is one file where it was built, and in a clone it imports a file beside it. */
const supervisor = supervisorFiles(fileURLToPath(new URL('./cell-supervisor.ts', import.meta.url)))

function supervisorFiles(file: string) {
  if (!file.endsWith('.ts')) {
    const place = `${SUPERVISOR}/cell.mjs`
    return { source: file, place, main: place }
  }
  const place = `${SUPERVISOR}/sandbox`
  return { source: dirname(file), place, main: `${place}/cell-supervisor.ts` }
}

function supervisorCommand(): string[] {
  return [
    `${SUPERVISOR}/node`,
    '--max-old-space-size=64',
    '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON',
    supervisor.main,
  ]
}

/** Resolves with why it is gone. */
async function goneOf(child: ChildProcess): Promise<string> {
  let text = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    if (text.length < MAX_ERROR_CHARS) text += chunk
  })
  try {
    await once(child, 'close')
  } catch (error) {
    return `the sandbox cannot be started: ${String(error)}`
  }
  return text === '' ? 'the sandbox has ended' : `the sandbox cannot be used: ${whyRefused(text)}`
}

interface Waiting {
  readonly stdout: PassThrough
  readonly stderr: PassThrough
  readonly ended: PromiseWithResolvers<Ending>
  readonly started: PromiseWithResolvers<number>
}

interface Parts {
  readonly child: ChildProcess
  readonly gone: Promise<string>
  readonly layout: CellLayout
  readonly clock: Clock
}

class StartedCell implements Cell {
  readonly ready: Promise<void>
  readonly #parts: Parts
  readonly #commands = new Map<number, Waiting>()
  readonly #mounts: readonly string[]
  readonly #ready = Promise.withResolvers<void>()
  readonly #known = Promise.withResolvers<void>()
  #lastId = 0
  #first: Pick<ProcessEntry, 'pid' | 'startTime'> | undefined
  #why: string | undefined
  proxyPort: number | undefined

  constructor(parts: Parts) {
    this.#parts = parts
    this.#mounts = protectedMounts(parts.layout)
    this.ready = this.#ready.promise
    const { child, gone } = parts
    const read = createFrameReader((frame) => this.#take(frame), MAX_FRAME_BYTES)
    child.stdout?.on('data', (chunk: Buffer) => {
      try {
        read(chunk)
      } catch {
        child.kill('SIGKILL') // the writer is not the supervisor
      }
    })
    child.stdin?.on('error', () => {}) // the end of the child says it
    readAll(child.stdio[PIPES.info] as Readable, (text) => {
      this.#first = firstProcess(text)
      this.#known.resolve()
    })
    // A program may end without ending its cells: they end with it.
    for (const handle of [child, ...child.stdio]) (handle as { unref?(): void } | null)?.unref?.()
    void gone.then((why) => this.#end(why))
  }

  async start(command: ProcessStart): Promise<StartedProcess> {
    if (this.#why !== undefined) throw new SandboxError(this.#why)
    const id = ++this.#lastId
    const { promise: ended, ...endedBy } = Promise.withResolvers<Ending>()
    const waiting: Waiting = {
      stdout: new PassThrough(),
      stderr: new PassThrough(),
      ended: { promise: ended, ...endedBy },
      started: Promise.withResolvers<number>(),
    }
    ignoreLateRejection(ended) // of a command that was never started
    this.#commands.set(id, waiting)
    this.#parts.child.stdin?.write(writeFrame(FRAMES.start, id, contentsOf(command)))
    const cancel = this.#parts.clock.after(START_MS, () => this.#parts.child.kill('SIGKILL'))
    try {
      const leader = await waiting.started.promise
      return { ...waiting, ended, group: () => this.#groupOf(leader) }
    } catch (error) {
      this.#commands.delete(id)
      throw error instanceof SandboxError ? error : spawnError(error, command.program, command.directory)
    } finally {
      cancel()
    }
  }

  isWhole(): boolean {
    if (this.#why !== undefined) return false
    if (this.#mounts.length === 0) return true
    try {
      const lines = readFileSync(`/proc/${this.#first?.pid}/mountinfo`, 'utf8').split('\n')
      const points = new Set(lines.map((line) => unescaped(line.split(' ')[4] ?? '')))
      return this.#mounts.every((path) => points.has(path))
    } catch {
      return false
    }
  }

  statsOf(path: string): Stats {
    return lstatSync(`/proc/${this.#first?.pid}/root${path}`)
  }

  isEmpty(): boolean {
    const [supervisor, ...left] = (this.#first && childrenOf(this.#first.pid)) ?? []
    if (supervisor === undefined) return false
    const commands = childrenOf(supervisor)
    return commands?.concat(left).every((pid) => readEntry(pid)?.zombie !== false) ?? false
  }

  async end(graceMs: number = bounds.killGraceMs): Promise<void> {
    const { child, gone, clock } = this.#parts
    if (this.#why !== undefined) return
    child.stdin?.write(writeFrame(FRAMES.end, 0, { graceMs }))
    const cancel = clock.after(graceMs + END_MS, () => child.kill('SIGKILL'))
    await keepAlive(gone.then(() => this.#emptied(clock.now() + END_MS)))
    cancel()
  }

  /** The first process of a cell is gone when all others are; bubblewrap outside is gone before. */
  async #emptied(limit: number): Promise<void> {
    const { clock } = this.#parts
    const { pid, startTime } = this.#first ?? {}
    const isThere = () => {
      const entry = pid === undefined ? undefined : readEntry(pid)
      return entry !== undefined && !entry.zombie && entry.startTime === startTime
    }
    while (isThere() && clock.now() < limit) await sleep(clock, EMPTY_POLL_MS)
  }

  #take({ kind, id, contents }: CellFrame): void {
    if (kind === FRAMES.ready) return this.#isReady(valueOf(contents))
    const waiting = this.#commands.get(id)
    if (!waiting) return
    const { stdout, stderr, started, ended } = waiting
    if (kind === FRAMES.output) stdout.write(contents)
    if (kind === FRAMES.errorOutput) stderr.write(contents)
    if (kind === FRAMES.outputEnd) stdout.end()
    if (kind === FRAMES.errorOutputEnd) stderr.end()
    if (kind === FRAMES.started) started.resolve(Number(valueOf(contents)['pid']))
    if (kind === FRAMES.failed) started.reject(failureOf(valueOf(contents)))
    if (kind === FRAMES.exited) ended.resolve(endingOf(valueOf(contents)))
    if (stdout.writableEnded && stderr.writableEnded) void ended.promise.then(() => this.#commands.delete(id))
  }

  /** Said before the first command starts, by nobody else than the supervisor. */
  #isReady({ proxyPort }: Readonly<Record<string, unknown>>): void {
    this.proxyPort ??= typeof proxyPort === 'number' ? proxyPort : undefined
    void this.#known.promise.then(() => this.#ready.resolve())
  }

  #end(why: string): void {
    this.#why = why
    this.#ready.reject(new SandboxError(why))
    ignoreLateRejection(this.#ready.promise) // its starter gets it
    for (const { stdout, stderr, started, ended } of this.#commands.values()) {
      stdout.end()
      stderr.end()
      ignoreLateRejection(started.promise) // it has started, perhaps
      started.reject(new SandboxError(why))
      ended.reject(new SandboxError(`${why}, and the command with it`))
    }
    this.#commands.clear()
  }

  /** A process of the cell has two numbers; the inner one is what the supervisor knows. */
  #groupOf(leader: number): number | undefined {
    const cell = this.#namespace()
    return listProcesses().find(
      ({ pid }) => readStatus(pid, 'NSpgid')?.at(-1) === leader && namespaceOf(pid) === cell,
    )?.group
  }

  #namespace(): string {
    return (this.#first && namespaceOf(this.#first.pid)) ?? 'none'
  }
}

function namespaceOf(pid: number): string | undefined {
  try {
    return readlinkSync(join('/proc', String(pid), 'ns/pid'))
  } catch {
    return undefined
  }
}

function contentsOf({ program, args, directory, environment, input }: ProcessStart): CellCommand {
  return { program, args, directory, environment, input: input ?? null }
}

function readAll(stream: Readable, onEnd: (text: string) => void): void {
  let text = ''
  stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  stream.once('end', () => onEnd(text))
  stream.on('error', () => {}) // the end of the child says it
}

function firstProcess(info: string): ProcessEntry | undefined {
  const pid = /"child-pid": *(\d+)/.exec(info)?.[1]
  return pid === undefined ? undefined : readEntry(Number(pid))
}

/** What a cell says may be anything. */
function valueOf(contents: Buffer): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(contents.toString())
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function failureOf({ code, message }: Readonly<Record<string, unknown>>): Error {
  return Object.assign(new Error(String(message).slice(0, 500)), { code })
}

function endingOf({ code, signal }: Readonly<Record<string, unknown>>): Ending {
  return {
    exitCode: typeof code === 'number' && Number.isInteger(code) && code >= 0 && code < 256 ? code : null,
    signal: typeof signal === 'string' && /^SIG\w{1,10}$/.test(signal) ? (signal as NodeJS.Signals) : null,
  }
}

/** mountinfo writes spaces and the like as octal numbers. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)))
}
