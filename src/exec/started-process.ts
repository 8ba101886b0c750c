import type { Readable } from 'node:stream'

/** How a process ended. Without an exit code, a signal ended it. */
export interface Ending {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
}

/** A process running on this machine or in a cell. */
export interface StartedProcess {
  readonly stdout: Readable | null
  readonly stderr: Readable | null
  /** Rejects if the end cannot be known. */
  readonly ended: Promise<Ending>
  /** The process group that it leads, as this process sees it; undefined once that is gone. */
  group(): number | undefined
}

/** A program to start, with its whole environment. */
export interface ProcessStart {
  readonly program: string
  readonly args: readonly string[]
  /** Absolute. */
  readonly directory: string
  readonly environment: Readonly<Record<string, string>>
  /** Text for stdin; undefined: empty. */
  readonly input: string | undefined
}
