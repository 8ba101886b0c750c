import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** A program in a process of its own, its output collected, its stdin at its end. */
export class StartedProgram {
  readonly ended: Promise<Ended>
  readonly #child: ChildProcess
  #stdout = ''
  #stderr = ''

  constructor(
    command: readonly [string, ...string[]],
    options: { cwd: string; env: Record<string, string> },
  ) {
    const [program, ...args] = command
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.setEncoding('utf8').on('data', (text: string) => (this.#stdout += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text))
    this.#child = child
    this.ended = new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code, signal) =>
        resolve({ code, signal, stdout: this.#stdout, stderr: this.#stderr }),
      )
    })
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** Resolves when stderr holds the text; rejects with what it holds if the program ends first. */
  async untilStderr(text: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const look = () => this.#stderr.includes(text) && resolve()
    this.#child.stderr?.on('data', look)
    void this.ended.then(
      ({ stderr }) => reject(new Error(`ended without "${text}" on stderr:\n${stderr}`)),
      reject,
    )
    look()
    try {
      await promise
    } finally {
      this.#child.stderr?.off('data', look)
    }
  }
}

/** Pids of the living processes that were started with this entry (`KEY=value`) in their environment. Linux only. */
export function processesWith(entry: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && environmentOf(pid).includes(entry))
}

function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
  } catch {
    return [] // it has just ended, or is another user's
  }
}
