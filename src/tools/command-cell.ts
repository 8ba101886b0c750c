import type { SandboxForce, Widening } from '../core/command-sandbox.ts'
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

/** A path that a command says it could not use, and a person can be asked for. */
export interface RefusedPath {
  readonly path: string
  /** Else it is missing. */
  readonly isReadOnly: boolean
  /** What can be asked for; null: nothing. */
  readonly directory: string | null
}

export interface CommandResult {
  readonly result: ProcessResult
  /** What it made and may not: it has another name now. */
  readonly moved: readonly MovedAway[]
  /** What the cell has reached and was refused since its last result. */
  readonly reached: readonly ReachedHost[]
  /** What its output names as refused, as far as that can be told. */
  readonly refusedPaths: readonly RefusedPath[]
  /** What was between it and the machine. */
  readonly sandbox: SandboxForce
  /** What it could reach beyond the settings. */
  readonly widened: Widening
  /** It had a cell of its own, which has ended with it. */
  readonly wasAlone: boolean
}

/** What people have allowed the commands of a run beyond its settings, for longer than one command. */
export interface Standing {
  /** As now. */
  widening(): Widening
  /** Whether all of this is allowed now. */
  covers(asked: Widening): boolean
}

/** Starts the commands of one run. */
export interface CommandCell {
  /**
   * `widening`: what a person allowed this command; what goes beyond that for the run takes a cell of its own, so that no
   * other command has it. @throws SpawnError; SandboxError when the cell cannot be started or ends under the command.
   */
  run(options: ProcessOptions, widening?: Widening): Promise<CommandResult>
}
