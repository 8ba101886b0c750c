import type { SandboxForce } from '../core/command-sandbox.ts'
import type { ProcessOptions, ProcessResult } from '../exec/run-process.ts'

export interface MovedAway {
  readonly from: string
  readonly to: string
}

/** One host and port that a cell has reached or was refused. */
export interface ReachedHost {
  readonly host: string
  readonly port: number
  /** Why it was refused; null: it was allowed. */
  readonly refused: string | null
  /** Bytes from the cell, and to it. */
  readonly sent: number
  readonly received: number
}

export interface CommandResult {
  readonly result: ProcessResult
  /** What it made and may not: it has another name now. */
  readonly moved: readonly MovedAway[]
  /** What was between it and the machine. */
  readonly sandbox: SandboxForce
  /** What the cell has reached and was refused since its last result. */
  readonly reached: readonly ReachedHost[]
}

/** Starts the commands of one run. */
export interface CommandCell {
  /** @throws SpawnError; SandboxError when the cell cannot be started or ends under the command. */
  run(options: ProcessOptions): Promise<CommandResult>
}
