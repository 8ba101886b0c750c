import type { SandboxForce } from '../core/command-sandbox.ts'
import type { ProcessOptions, ProcessResult } from '../exec/run-process.ts'

export interface MovedAway {
  readonly from: string
  readonly to: string
}

export interface CommandResult {
  readonly result: ProcessResult
  /** What it made and may not: it has another name now. */
  readonly moved: readonly MovedAway[]
  /** What was between it and the machine. */
  readonly sandbox: SandboxForce
}

/** Starts the commands of one run. */
export interface CommandCell {
  /** @throws SpawnError; SandboxError when the cell cannot be started or ends under the command. */
  run(options: ProcessOptions): Promise<CommandResult>
}
