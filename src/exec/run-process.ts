import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Clock } from '../core/clock.ts'
import { childEnvironment } from './child-environment.ts'
import type { Guard } from './start-guard.ts'
import { killTree, type KillOptions, type KillTarget } from './kill.ts'
import { OutputBuffer } from './output-buffer.ts'
import { keepRunOf } from './own-commands.ts'
import type { ProcessMark } from './process-table.ts'
import { spawnError } from './spawn-error.ts'
import type { Ending, ProcessStart, StartedProcess } from './started-process.ts'
import { collect, drain } from './collect-output.ts'
import { systemClock } from './system-clock.ts'

export interface ProcessOptions {
  readonly program: string
  readonly args: readonly string[]
  /** Absolute. */
  readonly directory: string
  /** Text for stdin; default: empty. */
  readonly input?: string
  /** `merged`: stdout and stderr in `output`, in order. `apart`: stderr in `errorOutput`. */
  readonly streams?: 'merged' | 'apart'
  /** Variables added to the filtered environment. */
  readonly marks?: Readonly<Record<string, string>>
  /** One of `marks`, which a stop uses to find processes that left the group. */
  readonly sweep?: ProcessMark
  /** Ends the started processes if this process dies. */
  readonly guard?: Guard | undefined
  /** Characters of output kept from the start and from the end. */
  readonly headSize?: number
  readonly tailSize?: number
  readonly timeoutMs?: number
  readonly killGraceMs?: number
  readonly clock?: Clock
  /** The environment to filter; default: `process.env`. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Where it runs; default: on this machine, under `guard`. */
  readonly start?: (start: ProcessStart) => Promise<StartedProcess>
  /** Live text of both streams. */
  readonly onOutput?: (text: string) => void
  readonly signal?: AbortSignal
}

export interface ProcessResult {
  /** null: ended by a signal. */
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly timedOut: boolean
  readonly aborted: boolean
  readonly output: string
  readonly errorOutput: string
  /** Length of the output left out between head and tail. */
  readonly droppedBytes: number
  readonly durationMs: number
  /** A process that it started still holds the output and keeps running. */
  readonly leftRunning: boolean
  /** Processes that a stop could not end. */
  readonly survivors: readonly number[]
}

const HEAD_SIZE = 512 * 1024
const TAIL_SIZE = 512 * 1024
const ERROR_SIZE = 16 * 1024

/**
 * Runs a program in its own process group, with a filtered environment. Resolves when it has exited, for whatever
 * reason; a timeout or an abort ends the group and all marked processes. @throws SpawnError if it does not start.
 */
export async function runProcess(options: ProcessOptions): Promise<ProcessResult> {
  const clock = options.clock ?? systemClock
  const startedAt = clock.now()
  if (options.signal?.aborted) return neverStarted
  const { stdout, stderr, ended, group } = await start(options)
  const output = new OutputBuffer(options.headSize ?? HEAD_SIZE, options.tailSize ?? TAIL_SIZE)
  const errors = options.streams === 'apart' ? new OutputBuffer(0, ERROR_SIZE) : output
  const streams = [collect(stdout, output, options.onOutput), collect(stderr, errors, options.onOutput)]
  const stops = watchStops(group, options, clock)
  const { exitCode, signal } = await Promise.race([ended, stops.gaveUp]).catch((error) => stops.failed(error))
  const stillOpen = await drain(streams, clock)
  const { reason, survivors } = await stops.end()
  return {
    exitCode,
    signal,
    timedOut: reason === 'timeout',
    aborted: reason === 'abort',
    output: output.text(),
    errorOutput: errors === output ? '' : errors.text(),
    droppedBytes: output.droppedBytes,
    durationMs: clock.now() - startedAt,
    leftRunning: stillOpen && reason === undefined,
    survivors,
  }
}

const neverStarted: ProcessResult = {
  exitCode: null,
  signal: null,
  timedOut: false,
  aborted: true,
  output: '',
  errorOutput: '',
  droppedBytes: 0,
  durationMs: 0,
  leftRunning: false,
  survivors: [],
}

async function start(options: ProcessOptions): Promise<StartedProcess> {
  if (options.start) return await options.start(startOf(options))
  try {
    const { guard } = options
    const child = guard ? guard.launch(() => spawnChild(options)) : spawnChild(options)
    keepRunOf(child, options.marks?.['OFFSHOOT_RUN_ID'])
    const ended = new Promise<Ending>((resolve) => {
      child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }))
    })
    await once(child, 'spawn')
    child.on('error', () => {}) // later errors come from signals, which are checked where they are sent
    child.stdin?.on('error', () => {}) // a program need not read its input
    child.stdin?.end(options.input)
    return { stdout: child.stdout, stderr: child.stderr, ended, group: () => child.pid }
  } catch (error) {
    throw spawnError(error, options.program, options.directory)
  }
}

function startOf({ program, args, directory, environment, marks, input }: ProcessOptions): ProcessStart {
  return { program, args, directory, environment: childEnvironment(environment ?? process.env, marks), input }
}

function spawnChild(options: ProcessOptions): ChildProcess {
  const { spawn } = process.getBuiltinModule('node:child_process') // many runs start no program
  const { program, args, directory, environment, input } = startOf(options)
  return spawn(program, args, {
    cwd: directory,
    env: environment,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  })
}

interface Stops {
  /** Resolves only if a stop could not end the process. */
  readonly gaveUp: Promise<Ending>
  /** Handles a process whose end is unknown: after a stop this is no error. @throws the error otherwise */
  failed(error: unknown): Promise<Ending>
  end(): Promise<{ reason: 'timeout' | 'abort' | undefined; survivors: readonly number[] }>
}

const NO_ENDING: Ending = { exitCode: null, signal: null }
/** The end of a process is normally reported at once; a cell whose supervisor was suspended reports nothing. */
const UNTOLD_MS = 2_000

function watchStops(group: StartedProcess['group'], options: ProcessOptions, clock: Clock): Stops {
  let reason: 'timeout' | 'abort' | undefined
  let killing: Promise<readonly number[]> = Promise.resolve([])
  const gaveUp = Promise.withResolvers<Ending>()
  const stop = (why: 'timeout' | 'abort') => {
    if (reason) return
    reason = why
    killing = killTree(targetOf(group(), options), killOptions(options, clock))
    void killing.then((left) => {
      if (left.length > 0) gaveUp.resolve(NO_ENDING)
      else clock.after(UNTOLD_MS, () => gaveUp.resolve(NO_ENDING))
    })
  }
  const onAbort = () => stop('abort')
  const cancelTimeout =
    options.timeoutMs === undefined ? () => {} : clock.after(options.timeoutMs, () => stop('timeout'))
  options.signal?.addEventListener('abort', onAbort, { once: true })
  if (options.signal?.aborted) onAbort()
  const end = async () => {
    cancelTimeout()
    options.signal?.removeEventListener('abort', onAbort)
    return { reason, survivors: await killing }
  }
  return {
    gaveUp: gaveUp.promise,
    failed: async (error) => {
      if ((await end()).reason === undefined) throw error
      return NO_ENDING
    },
    end,
  }
}

function targetOf(group: number | undefined, { sweep }: ProcessOptions): KillTarget {
  return { ...(group !== undefined && { group }), ...(sweep && { mark: sweep }) }
}

function killOptions(options: ProcessOptions, clock: Clock): KillOptions {
  return options.killGraceMs === undefined ? { clock } : { clock, graceMs: options.killGraceMs }
}
