import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { Socket } from 'node:net'
import { parse } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Clock } from '../core/clock.ts'
import { once } from '../core/once.ts'
import { childEnvironment } from './child-environment.ts'
import { writeGuardMessage, type GuardMessage } from './guard-roster.ts'
import { send } from './terminate-processes.ts'
import { killTree } from './kill.ts'
import { readEntry, type ProcessMark } from './process-table.ts'
import { systemClock } from './system-clock.ts'

export interface GuardOptions {
  /** Mark in the environment of every process of this owner. */
  readonly mark: ProcessMark
  /**
   * A process that outlives its owner gets SIGTERM, then SIGKILL after this time. At most 4 s: invariant R6 allows 10
   * in all.
   */
  readonly graceMs?: number
  readonly clock?: Pick<Clock, 'after'>
}

/** Ends child processes when their owner exits, for whatever reason (invariant R6). */
export interface Guard {
  /**
   * Starts a child process under guard. `start` makes it the leader of its own group, with the mark. The guard process
   * is started before the first one.
   */
  launch(start: () => ChildProcess): ChildProcess
  /**
   * Removes this directory, with all that is in it, if the owner ends before it is released. To be held before it is made:
   * then no moment leaves it behind.
   */
  hold(directory: string): HeldDirectory
  /**
   * Cleanup by the owner: ends the remaining launched and marked processes, then the guard process. Resolves when they
   * are gone. Does nothing if nothing was launched.
   */
  close(): Promise<void>
}

export interface HeldDirectory {
  /** After it was removed. */
  release(): void
}

/** Starts nothing yet. */
export function createGuard({ mark, graceMs = GRACE_MS, clock = systemClock }: GuardOptions): Guard {
  const leaders = new Map<number, string>()
  const held = new Set<string>()
  let current: GuardProcess | undefined
  let launched = false
  let leftSomething = false
  let restartMs = RESTART_MS
  const startGuard = () => {
    const started = startProcess([mark.name, mark.value, String(graceMs)], { leaders, held }, () => {
      if (current !== started) return
      clock.after(restartMs, () => void (current === started && startGuard()))
      restartMs *= 2
    })
    current = started
  }
  const notify = (message: GuardMessage) => current?.notify(message)
  const ready = () => {
    restartMs = RESTART_MS
    if (!current?.isThere()) startGuard()
  }
  return {
    launch: (start) => {
      launched = true
      ready()
      const child = start()
      const { pid } = child
      if (pid === undefined) return child // its 'error' event has the reason
      // read before the event loop turns, while even an exited process is still in the table
      const startTime = readEntry(pid)?.startTime ?? ''
      leaders.set(pid, startTime)
      notify({ type: 'started', pid, startTime })
      child.once('exit', () => {
        leaders.delete(pid)
        leftSomething ||= send(-pid, 0)
        notify({ type: 'ended', pid })
      })
      return child
    },
    hold: (directory) => {
      ready()
      held.add(directory)
      notify({ type: 'held', directory })
      return {
        release: () => {
          if (held.delete(directory)) notify({ type: 'released', directory })
        },
      }
    },
    close: async () => {
      if (launched) await killTree({ mark })
      const last = current
      current = undefined
      // only the guard process knows processes that lost the mark, and removes what is held
      if (leftSomething || leaders.size > 0 || held.size > 0) await last?.end(clock)
      else await last?.kill()
    },
  }
}

/** Whether a guard process can start, and exits when its pipe closes. It watches nothing. */
export async function tryGuard(clock: Pick<Clock, 'after'> = systemClock): Promise<boolean> {
  const child = spawnGuard(['OFFSHOOT_OWNER', randomUUID(), '0'])
  if (!child) return false
  const { promise, resolve } = Promise.withResolvers<boolean>()
  child.once('exit', (code) => resolve(code === 0))
  child.stdin?.on('error', () => {}) // the 'exit' event reports this
  child.stdin?.end(writeGuardMessage({ type: 'closing' }))
  const cancel = clock.after(CLOSE_MS, () => {
    child.kill('SIGKILL')
    resolve(false)
  })
  return await promise.finally(cancel)
}

const GRACE_MS = 3_000
/** A killed guard is replaced after this delay, with the list of running groups; the delay doubles each time. */
const RESTART_MS = 50
/** A guard process exits within 10 s of the end of its pipe, unless it was suspended. */
const CLOSE_MS = 15_000

type PipeOfChild = Omit<Socket, 'unref'> & Partial<Pick<Socket, 'unref'>>

interface GuardProcess {
  isThere(): boolean
  notify(message: GuardMessage): void
  /** Ends the processes that the guard knows, then the guard. */
  end(clock: Pick<Clock, 'after'>): Promise<void>
  /** Kills the guard when no process is left to end. */
  kill(): Promise<void>
}

/** Undefined if it cannot be started; most likely no other program can start either. */
function startProcess(
  args: readonly string[],
  { leaders, held }: { leaders: ReadonlyMap<number, string>; held: ReadonlySet<string> },
  onEnd: () => void,
): GuardProcess | undefined {
  const child = spawnGuard(args)
  const pipe = child?.stdin as PipeOfChild | null | undefined
  if (!child || !pipe) return undefined
  const { promise: gone, resolve: markGone } = Promise.withResolvers<void>()
  let isThere = true
  const onGone = () => {
    isThere = false
    markGone()
    onEnd()
  }
  child.once('exit', onGone)
  pipe.on('error', () => {}) // the 'exit' event reports this
  // Neither keeps the owner alive: an owner that exits without closing the guard counts as killed.
  child.unref()
  pipe.unref?.() // Bun's pipes hold no process, and lack this method
  const notify = (message: GuardMessage) => void pipe.write(writeGuardMessage(message))
  for (const [pid, startTime] of leaders) notify({ type: 'started', pid, startTime })
  for (const directory of held) notify({ type: 'held', directory })
  const kill = () => {
    if (!isThere) return gone
    child.ref()
    child.kill('SIGKILL')
    return gone
  }
  return {
    isThere: () => isThere,
    notify,
    kill,
    end: async (clock) => {
      const cancel = clock.after(CLOSE_MS, () => void kill())
      pipe.end(writeGuardMessage({ type: 'closing' }))
      child.ref()
      await gone
      cancel()
    },
  }
}

/** The guard holds no terminal, pipe or directory of the user open, and has no mark. */
function spawnGuard(args: readonly string[]): ChildProcess | undefined {
  const program = fileURLToPath(new URL('./guard-process.ts', import.meta.url))
  if (!existsSync(program)) {
    warnWithoutGuard()
    return undefined
  }
  try {
    const { spawn } = process.getBuiltinModule('node:child_process') // as in run-process.ts
    const child = spawn(process.execPath, [...RUNTIME_ARGUMENTS, program, ...args], {
      cwd: parse(process.execPath).root,
      env: childEnvironment(process.env),
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
      windowsHide: true,
    })
    child.on('error', () => {}) // without a pid it did not start
    return child.pid === undefined ? undefined : child
  } catch {
    return undefined
  }
}

/** Deno grants a program no permissions by default. */
const RUNTIME_ARGUMENTS = process.versions['deno'] === undefined ? [] : ['run', '--allow-all']

/** A program bundled into one file may lack it. */
const warnWithoutGuard = once(() =>
  process.emitWarning('guard.js is missing: child processes may outlive this program if it is killed', {
    type: 'OffshootWarning',
    detail: 'Copy node_modules/offshoot/guard.js beside your bundle.',
  }),
)
