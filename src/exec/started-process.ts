import type { Readable } from 'node:stream'

/** How a process ended: without an exit code a signal ended it. */
export interface Ending {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
}

/** A process that runs, on this machine or in a cell. */
export interface StartedProcess {
  readonly stdout: Readable | null
  readonly stderr: Readable | null
  /** Rejects where it cannot be known. */
  readonly ended: Promise<Ending>
  /** The group that it leads, as this process sees it; undefined where that is gone. */
  group(): number | undefined
}

/** What is to be started: a program with its whole environment. */
export interface ProcessStart {
  readonly program: string
  readonly args: readonly string[]
  /** Absolute. */
  readonly directory: string
  readonly environment: Readonly<Record<string, string>>
  /** For stdin; without it stdin is empty. */
  readonly input: string | undefined
}
