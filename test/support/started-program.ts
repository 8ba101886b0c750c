import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface StartOptions {
  readonly cwd: string
  readonly env: Record<string, string>
  /** What stands on stdin. Absent: it is at its end. */
  readonly input?: string | Uint8Array
  /** Instead of `input`: stdin stays open for `type`. */
  readonly typing?: true
  /** Another user; only root can start as one. */
  readonly uid?: number
  /** It leads a process group of its own. */
  readonly detached?: true
}

type Passes = (held: string) => boolean

/** A program in a process of its own, its output collected. */
export class StartedProgram {
  readonly ended: Promise<Ended>
  readonly #child: ChildProcess
  #stdout = ''
  #stderr = ''

  constructor(command: readonly [string, ...string[]], { input, typing, uid, ...options }: StartOptions) {
    const [program, ...args] = command
    const user = uid === undefined ? {} : { uid, gid: uid }
    const stdin = typing || input !== undefined ? 'pipe' : 'ignore'
    const child = spawn(program, args, { ...options, ...user, stdio: [stdin, 'pipe', 'pipe'] })
    child.stdin?.on('error', () => {}) // it may end before it has read everything
    if (!typing) child.stdin?.end(input)
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.#stdout += text))
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text))
    this.#child = child
    this.ended = new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code, signal) =>
        resolve({ code, signal, stdout: this.#stdout, stderr: this.#stderr }),
      )
    })
  }

  /** What it has written so far. */
  get stdout(): string {
    return this.#stdout
  }

  get stderr(): string {
    return this.#stderr
  }

  get pid(): number {
    return this.#child.pid!
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** Resolves when the program has taken every signal that was sent to it. */
  async untilTaken(): Promise<void> {
    const waits = () =>
      /^(?:SigPnd|ShdPnd):\s*0*[1-9a-f]/m.test(readFileSync(`/proc/${this.#child.pid}/status`, 'utf8'))
    while (waits()) await new Promise((resolve) => setImmediate(resolve))
  }

  type(text: string): void {
    this.#child.stdin?.write(text)
  }

  /** Resolves when stderr holds the text; rejects with what it holds if the program ends first. */
  untilStderr(text: string): Promise<void> {
    return this.#until(text, 'stderr', () => this.#stderr)
  }

  /** The same of stdout, or until what it holds passes. */
  untilStdout(text: string | Passes): Promise<void> {
    return this.#until(text, 'stdout', () => this.#stdout)
  }

  async #until(text: string | Passes, name: 'stdout' | 'stderr', held: () => string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const passes: Passes = typeof text === 'string' ? (all) => all.includes(text) : text
    const what = typeof text === 'string' ? `"${text}"` : 'what was waited for'
    const look = () => passes(held()) && resolve()
    const stream = this.#child[name]
    stream?.on('data', look)
    void this.ended.then(() => reject(new Error(`ended without ${what} on ${name}:\n${held()}`)), reject)
    look()
    try {
      await promise
    } finally {
      stream?.off('data', look)
    }
  }
}

/** Pids of the living processes that were started with this entry (`KEY=value`) in their environment. Linux only. */
export function processesWith(entry: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && environmentOf(pid).includes(entry))
}

/** A process's program and arguments, with spaces between them. */
export function commandLine(pid: number): string {
  return readProcess(pid, 'cmdline').join(' ').trim()
}

function environmentOf(pid: number): string[] {
  return readProcess(pid, 'environ')
}

function readProcess(pid: number, name: 'cmdline' | 'environ'): string[] {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8').split('\0')
  } catch {
    return [] // it has just ended, or is another user's
  }
}
